import { z } from "zod";
import { callStatus } from "../calls.ts";
import { countryCode, dollars, id, instant, ratePerMinute } from "../values.ts";

/** Which live calls: of a customer (id or email address), or to numbers that begin with a prefix. */
export const liveQuery = z.object({ customer: z.string().max(254).optional(), prefix: z.string().max(20).optional() });

const liveCall = z.object({
  id,
  customer_id: z.uuid(),
  email: z.string(),
  status: callStatus,
  since: instant,
  answered_at: instant.nullable(),
  /** When it is cut unless credit is added. */
  ends_at: instant.nullable(),
  destination: z.string(),
  country_code: countryCode,
  price_class: z.enum(["A", "B", "C"]),
  rate_per_minute: ratePerMinute,
  first_interval_s: z.number(),
  next_interval_s: z.number(),
  /** What it would be charged if it ended now. */
  charge: dollars,
  /** The customer's credit without this charge. */
  credit_left: dollars,
  /** By the deck's cost; null if unknown, and for roles that may not see costs. */
  margin: dollars.nullable(),
  trunk: z.string().nullable(),
  exchange: z.string().nullable(),
  /** The browser's latest measurement, 1 to 5. */
  mos: z.number().nullable(),
  /** Whether its hang-up was requested. */
  ending: z.boolean(),
});
export type LiveCall = z.infer<typeof liveCall>;

/**
 * `GET /api/operator/events` (server-sent events): hints that what the console shows has changed, at most one a second. Every connection
 * begins with `ready`. Neither the connection nor what is read because of a hint keeps the session alive.
 */
export const operatorHint = z.discriminatedUnion("type", [
  /** The connection is open, or hints may have been missed. */
  z.object({ type: z.literal("ready") }),
  /** Calls began, changed their state or ended. */
  z.object({ type: z.literal("calls") }),
]);
export type OperatorHint = z.infer<typeof operatorHint>;

/** `GET /api/operator/calls/live`: ringing calls too, newest first. */
export const liveCallsResponse = z.object({ calls: z.array(liveCall), more: z.boolean(), at: instant });
export type LiveCallsResponse = z.infer<typeof liveCallsResponse>;
