import type Stripe from "stripe";
import { z } from "zod";
import { expand, invalid, mergeMetadata, metadata, metadataChange, noSuch, readParams } from "../api/stripe-error.ts";
import { recordEvent, seconds, type Cause } from "../events/stripe-event.ts";
import { findObject, insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { newId } from "../store/stripe-id.ts";

const fields = {
  email: z.email().max(512).optional(),
  name: z.string().max(256).optional(),
  phone: z.string().max(20).optional(),
  description: z.string().max(5000).optional(),
  preferred_locales: z.array(z.string().max(10)).max(10).optional(),
  metadata: metadata.optional(),
  expand,
};
const createParams = z.strictObject(fields);
const updateParams = z.strictObject({
  ...fields,
  metadata: metadataChange.optional(),
  invoice_settings: z.strictObject({ default_payment_method: z.string() }).optional(),
});

export async function createCustomer(tx: Tx, cause: Cause, input: unknown): Promise<Stripe.Customer> {
  const params = readParams(createParams, input);
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
  await recordEvent(tx, cause, "customer.created", { object: customer });
  return customer;
}

/** Locks a customer. @throws StripeApiError resource_missing, also for a deleted one */
export async function loadCustomer(tx: Tx, id: string, param = "id"): Promise<Stripe.Customer> {
  const found = await findObject<Stripe.Customer | Stripe.DeletedCustomer>(tx, "customer", id, true);
  if (!found || found.data.deleted) throw noSuch("customer", id, param);
  return found.data;
}

/** Changes the given fields. A default card must belong to the customer. */
export async function updateCustomer(tx: Tx, cause: Cause, id: string, input: unknown): Promise<Stripe.Customer> {
  const { expand: _expand, metadata: added, invoice_settings: settings, ...given } = readParams(updateParams, input);
  const customer = await loadCustomer(tx, id);
  if (settings) {
    const wanted = settings.default_payment_method;
    const method = wanted === "" ? null : await findObject<Stripe.PaymentMethod>(tx, "payment_method", wanted);
    if (wanted !== "" && method?.data.customer !== id)
      throw invalid(
        `The customer does not have a payment method with the ID ${wanted}.`,
        "invoice_settings[default_payment_method]",
        "resource_missing",
      );
    customer.invoice_settings.default_payment_method = method?.data.id ?? null;
  }
  Object.assign(customer, given, { metadata: mergeMetadata(customer.metadata, added) });
  await updateObject(tx, customer);
  await recordEvent(tx, cause, "customer.updated", { object: customer });
  return customer;
}

/** Deletes all of a customer but the id. */
export async function deleteCustomer(tx: Tx, cause: Cause, id: string): Promise<Stripe.DeletedCustomer> {
  const customer = await loadCustomer(tx, id);
  const deleted: Stripe.DeletedCustomer = { id, object: "customer", deleted: true };
  await updateObject(tx, deleted);
  await recordEvent(tx, cause, "customer.deleted", { object: customer });
  return deleted;
}
