import type Stripe from "stripe";
import { z } from "zod";
import { insertObject } from "./object.store.ts";
import type { Tx } from "./schema.ts";
import { expand, metadata, readParams } from "./stripe-error.ts";
import { recordEvent, seconds, type Cause } from "./stripe-event.ts";
import { newId } from "./stripe-id.ts";

const customerParams = z.strictObject({
  email: z.string().max(512).optional(),
  name: z.string().max(256).optional(),
  phone: z.string().max(20).optional(),
  description: z.string().max(5000).optional(),
  preferred_locales: z.array(z.string().max(10)).max(10).optional(),
  metadata: metadata.optional(),
  expand,
});

/** Keeps a customer, so that sessions can be opened in their name. */
export async function createCustomer(tx: Tx, cause: Cause, input: unknown): Promise<Stripe.Customer> {
  const params = readParams(customerParams, input);
  const customer: Stripe.Customer = {
    id: newId("cus_", 14),
    object: "customer",
    address: null,
    balance: 0,
    created: seconds(cause),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: params.description ?? null,
    discount: null,
    email: params.email ?? null,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: params.metadata ?? {},
    name: params.name ?? null,
    phone: params.phone ?? null,
    preferred_locales: params.preferred_locales ?? [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  };
  await insertObject(tx, customer);
  await recordEvent(tx, cause, "customer.created", customer);
  return customer;
}
