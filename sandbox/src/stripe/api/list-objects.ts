import { z } from "zod";
import { expandObject } from "./expand-object.ts";
import type { FormObject } from "./form-body.ts";
import { listObjects } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { expand, integer, readParams } from "./stripe-error.ts";

interface Collection {
  path: string;
  type: string;
  filters: readonly string[];
}

export const collections: readonly Collection[] = [
  { path: "/checkout/sessions", type: "checkout.session", filters: ["payment_intent", "status", "customer"] },
  { path: "/payment_intents", type: "payment_intent", filters: ["customer"] },
  { path: "/setup_intents", type: "setup_intent", filters: ["customer", "payment_method"] },
  { path: "/payment_methods", type: "payment_method", filters: ["customer", "type"] },
  { path: "/charges", type: "charge", filters: ["payment_intent", "customer"] },
  { path: "/refunds", type: "refund", filters: ["payment_intent", "charge"] },
  { path: "/disputes", type: "dispute", filters: ["payment_intent", "charge"] },
  { path: "/radar/early_fraud_warnings", type: "radar.early_fraud_warning", filters: ["payment_intent", "charge"] },
  { path: "/balance_transactions", type: "balance_transaction", filters: ["source", "type", "currency"] },
  { path: "/payouts", type: "payout", filters: ["status"] },
  { path: "/customers", type: "customer", filters: ["email"] },
  { path: "/products", type: "product", filters: [] },
  { path: "/prices", type: "price", filters: ["product", "currency"] },
  { path: "/events", type: "event", filters: ["type"] },
];
const ownPaymentMethods: Collection = { path: "/payment_methods", type: "payment_method", filters: ["customer", "type"] };

const created = z.union([
  integer.transform((at) => ({ gte: at, lte: at })),
  z
    .strictObject({ gt: integer.transform((at) => at + 1), gte: integer, lt: integer.transform((at) => at - 1), lte: integer })
    .partial(),
]);
const paging = {
  limit: integer.refine((n) => n >= 1 && n <= 100, "must be between 1 and 100").default(10),
  starting_after: z.string().optional(),
  ending_before: z.string().optional(),
  created: created.optional(),
  expand,
};
const eventFilters = {
  types: z.array(z.string()).max(20).optional(),
  delivery_success: z
    .enum(["true", "false"])
    .transform((text) => (text === "true" ? "0" : "1"))
    .optional(),
};

interface ObjectList {
  object: "list";
  url: string;
  has_more: boolean;
  data: unknown[];
}

/** Returns a page of a list, newest first. @throws StripeApiError for unknown or invalid parameters */
export async function listCollection(tx: Tx, collection: Collection, query: unknown): Promise<ObjectList> {
  const filters = Object.fromEntries(collection.filters.map((name) => [name, z.string().optional()]));
  const more = collection.type === "event" ? eventFilters : {};
  const params = readParams(z.strictObject({ ...paging, ...filters, ...more }), query) as z.output<z.ZodObject<typeof paging>> &
    Partial<Record<string, string>> & { types?: string[] };
  const range: { gt?: number; gte?: number; lt?: number; lte?: number } | undefined = params.created;
  const equal: Record<string, string | undefined> = Object.fromEntries(collection.filters.map((name) => [name, params[name]]));
  if (collection.type === "event") equal["pending_webhooks"] = params["delivery_success"];
  const page = await listObjects<unknown>(tx, {
    type: collection.type,
    limit: params.limit,
    startingAfter: params.starting_after,
    endingBefore: params.ending_before,
    createdFrom: range?.gte ?? range?.gt,
    createdTo: range?.lte ?? range?.lt,
    equal,
    types: params.types,
  });
  const list: ObjectList = { object: "list", url: `/v1${collection.path}`, has_more: page.hasMore, data: page.rows };
  await expandObject(tx, list, params.expand);
  return list;
}

/** The customer's saved cards. */
export async function paymentMethodsOf(tx: Tx, customer: string, query: FormObject): Promise<unknown> {
  const list = await listCollection(tx, ownPaymentMethods, { ...query, customer });
  return { ...list, url: `/v1/customers/${customer}/payment_methods` };
}
