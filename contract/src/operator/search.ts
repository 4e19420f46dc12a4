import { z } from "zod";
import { dollars, instant } from "../values.ts";

/** What the search box can find. */
const searchHitType = z.enum([
  "customer",
  "call",
  "payment",
  "refund",
  "withdrawal",
  "dispute",
  "fraud_warning",
  "receipt",
  "case",
  "mail",
  "approval",
  "operation",
  "posting",
  "deck",
  "card",
  "caller_number",
]);

const searchHit = z.object({
  type: searchHitType,
  id: z.string(),
  /** Null for what belongs to no customer, such as a deck. */
  customer_id: z.uuid().nullable(),
  email: z.string().nullable(),
  at: instant.nullable(),
  amount: dollars.nullable(),
  /** The called number, the receipt's number or the state, as fits the type. */
  text: z.string(),
});
export type SearchHit = z.infer<typeof searchHit>;
export type SearchHitType = SearchHit["type"];

/** `GET /api/operator/search`: newest first. */
export const searchResponse = z.object({
  /** How the text was understood. */
  understood: z.enum(["id", "email", "number", "card", "receipt", "case", "provider_id", "leg"]),
  hits: z.array(searchHit),
  /** Whether there are more hits than are shown. */
  more: z.boolean(),
  /** Without a hit for an id of the payment provider: what it is, and where to look. */
  note: z.string().nullable(),
});
export type SearchResponse = z.infer<typeof searchResponse>;
