import type Stripe from "stripe";
import { z } from "zod";
import { expand, integer, invalid, metadata, noSuch, readParams } from "../api/stripe-error.ts";
import { recordEvent, seconds, type Cause } from "../events/stripe-event.ts";
import { findObject, insertObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { newId } from "../store/stripe-id.ts";
import { currency, MAX_CENTS } from "./shared-params.ts";

const productParams = z.strictObject({
  name: z.string().min(1).max(250),
  description: z.string().max(5000).optional(),
  metadata: metadata.optional(),
  expand,
});
const priceParams = z.strictObject({
  product: z.string(),
  currency,
  unit_amount: integer.refine((n) => n >= 0 && n <= MAX_CENTS, `must be between 0 and ${MAX_CENTS}`),
  metadata: metadata.optional(),
  nickname: z.string().max(500).optional(),
  expand,
});

export async function createProduct(tx: Tx, cause: Cause, input: unknown): Promise<Stripe.Product> {
  const params = readParams(productParams, input);
  const product: Stripe.Product = {
    id: newId("prod_", 14),
    object: "product",
    active: true,
    created: seconds(cause),
    default_price: null,
    description: params.description ?? null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: params.metadata ?? {},
    name: params.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: "service",
    unit_label: null,
    updated: seconds(cause),
    url: null,
  };
  await insertObject(tx, product);
  await recordEvent(tx, cause, "product.created", { object: product });
  return product;
}

/** Creates a one-time price of a product. @throws StripeApiError for an unknown product */
export async function createPrice(tx: Tx, cause: Cause, input: unknown): Promise<Stripe.Price> {
  const params = readParams(priceParams, input);
  const product = await findObject<Stripe.Product>(tx, "product", params.product);
  if (!product) throw noSuch("product", params.product, "product");
  const price = buildPrice({
    currency: params.currency,
    unitAmount: params.unit_amount,
    product: params.product,
    taxBehavior: "unspecified",
    created: seconds(cause),
  });
  Object.assign(price, { active: true, metadata: params.metadata ?? {}, nickname: params.nickname ?? null });
  await insertObject(tx, price);
  await recordEvent(tx, cause, "price.created", { object: price });
  return price;
}

/** A price and its product's name. @throws StripeApiError for an unknown price */
export async function loadPrice(tx: Tx, id: string): Promise<{ price: Stripe.Price; name: string }> {
  const price = await findObject<Stripe.Price>(tx, "price", id);
  if (!price) throw noSuch("price", id, "line_items[0][price]");
  const product = await findObject<Stripe.Product>(tx, "product", price.data.product as string);
  if (!product) throw invalid("The price's product does not exist.", "line_items[0][price]");
  return { price: price.data, name: product.data.name };
}

/** Builds a one-time price. */
export function buildPrice(facts: {
  currency: string;
  unitAmount: number;
  product: string;
  taxBehavior: string;
  created: number;
}): Stripe.Price {
  return {
    id: newId("price_"),
    object: "price",
    active: false,
    billing_scheme: "per_unit",
    created: facts.created,
    currency: facts.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: facts.product,
    recurring: null,
    tax_behavior: facts.taxBehavior,
    tiers_mode: null,
    transform_quantity: null,
    type: "one_time",
    unit_amount: facts.unitAmount,
    unit_amount_decimal: null,
  };
}
