import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { z } from "zod";
import { expand, flag, integer, invalid, metadata, readParams, StripeApiError } from "../api/stripe-error.ts";
import { accepted, cardTypes, currency, MAX_CENTS, shippingParams, webAddress } from "../payments/shared-params.ts";

const MIN_LIFE_SECONDS = 30 * 60;
const MAX_LIFE_SECONDS = DAY_SECONDS;
const MIN_CENTS = 50;

const quantity = integer.refine((n) => n >= 1 && n <= 999_999, "must be at least 1");
const priceData = z.strictObject({
  currency,
  unit_amount: integer.refine((n) => n >= 0, "must be at least 0"),
  product_data: z.strictObject({
    name: z.string().min(1).max(250),
    description: z.string().max(500).optional(),
    tax_code: z.string().optional(),
    images: accepted,
    metadata: metadata.optional(),
  }),
  tax_behavior: z.string().optional(),
});
/** Exactly one of `price_data` and `price` is required. */
const lineItem = z.strictObject({ quantity, price_data: priceData.optional(), price: z.string().optional() });

const createParams = z.strictObject({
  mode: z.enum(["payment", "setup"], "this sandbox knows only `payment` and `setup`"),
  ui_mode: z.enum(["hosted_page"], "this sandbox knows only `hosted_page`").default("hosted_page"),
  line_items: z.array(lineItem).min(1).max(20).optional(),
  currency: currency.optional(),
  success_url: webAddress,
  cancel_url: webAddress.optional(),
  expires_at: integer.optional(),
  client_reference_id: z.string().max(200).optional(),
  customer: z.string().optional(),
  customer_email: z.email().max(254).optional(),
  metadata: metadata.optional(),
  allowed_payment_method_types: cardTypes.optional(),
  payment_intent_data: z
    .strictObject({
      description: z.string().max(1000).optional(),
      metadata: metadata.optional(),
      receipt_email: z.email().max(254).optional(),
      setup_future_usage: z.enum(["off_session", "on_session"]).optional(),
      statement_descriptor: z.string().max(22).optional(),
      statement_descriptor_suffix: z.string().max(22).optional(),
      capture_method: z.enum(["automatic", "automatic_async"]).optional(),
      shipping: shippingParams.optional(),
    })
    .optional(),
  setup_intent_data: z.strictObject({ description: z.string().max(1000).optional(), metadata: metadata.optional() }).optional(),
  adaptive_pricing: z.strictObject({ enabled: flag }).optional(),
  allow_promotion_codes: flag.optional(),
  billing_address_collection: z.enum(["auto", "required"]).optional(),
  consent_collection: z
    .strictObject({ terms_of_service: z.enum(["none", "required"]).optional(), promotions: accepted })
    .optional(),
  customer_creation: z.enum(["always", "if_required"]).optional(),
  locale: z.string().max(10).optional(),
  submit_type: z.enum(["auto", "book", "donate", "pay"]).optional(),
  expand,
  automatic_tax: accepted,
  branding_settings: accepted,
  custom_text: accepted,
  customer_update: accepted,
  excluded_payment_method_types: accepted,
  integration_identifier: accepted,
  invoice_creation: accepted,
  name_collection: accepted,
  origin_context: accepted,
  payment_method_collection: accepted,
  payment_method_options: accepted,
  phone_number_collection: accepted,
  saved_payment_method_options: accepted,
  wallet_options: accepted,
});

export type SessionParams = z.output<typeof createParams>;

/**
 * Validates the parameters of a new Checkout session.
 * @param nowSeconds Unix time
 * @throws StripeApiError 400 that names the parameter
 */
export function readSessionParams(input: unknown, nowSeconds: number): SessionParams {
  const params = readParams(createParams, input);
  if (params.customer !== undefined && params.customer_email !== undefined)
    throw new StripeApiError(400, "You may only specify one of these parameters: customer, customer_email.", {
      param: "customer",
    });
  if (params.customer !== undefined && params.customer_creation !== undefined)
    throw new StripeApiError(400, "You may only specify one of these parameters: customer, customer_creation.", {
      param: "customer_creation",
    });
  const foreign = params.mode === "payment" ? "setup_intent_data" : "payment_intent_data";
  if (params[foreign] !== undefined) throw invalid(`\`${foreign}\` cannot be used in \`${params.mode}\` mode.`, foreign);
  checkItems(params);
  checkLife(params.expires_at, nowSeconds);
  return params;
}

function checkItems({ mode, line_items: items }: SessionParams): void {
  if (mode === "setup" && items !== undefined) throw invalid("`line_items` cannot be used in `setup` mode.", "line_items");
  if (mode === "payment" && items === undefined)
    throw invalid("Missing required param: line_items.", "line_items", "parameter_missing");
  for (const [i, item] of (items ?? []).entries())
    if ((item.price === undefined) === (item.price_data === undefined))
      throw invalid("Exactly one of `price` and `price_data` is needed.", `line_items[${i}]`);
}

/** @throws StripeApiError for several currencies, or for a total outside the limits of a card payment */
export function checkTotal(items: readonly { currency: string; amount_total: number }[]): void {
  if (new Set(items.map((item) => item.currency)).size > 1)
    throw invalid("All line items must have the same currency.", "line_items");
  const total = items.reduce((sum, item) => sum + item.amount_total, 0);
  if (total < MIN_CENTS)
    throw invalid("The Checkout Session's total amount must convert to at least 50 cents.", "line_items", "amount_too_small");
  if (total > MAX_CENTS) throw invalid("The Checkout Session's total amount is too large.", "line_items", "amount_too_large");
}

export function defaultExpiry(nowSeconds: number): number {
  return nowSeconds + MAX_LIFE_SECONDS;
}

function checkLife(expiresAt: number | undefined, nowSeconds: number): void {
  if (expiresAt === undefined) return;
  if (expiresAt < nowSeconds + MIN_LIFE_SECONDS)
    throw invalid("The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.", "expires_at");
  if (expiresAt > nowSeconds + MAX_LIFE_SECONDS)
    throw invalid("The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.", "expires_at");
}
