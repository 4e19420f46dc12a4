import { z } from "zod";
import { callStatus } from "../calls.ts";
import { countryCode, dollars, id, instant, ratePerMinute } from "../values.ts";
import { liveOrders, liveStates, MAX_LIVE_ROWS } from "./constants.ts";

/** Which live calls: of a customer (id or email address), or to numbers that begin with a prefix. */
export const liveQuery = z.object({ customer: z.string().max(254).optional(), prefix: z.string().max(20).optional() });

/** The same, over a trunk, to a country or in a state; and which part of them in which order, at most `MAX_LIVE_ROWS` at once. */
export const livePartQuery = liveQuery.extend({
  country: countryCode.optional(),
  /** Empty for calls that no trunk has taken yet. */
  trunk: z.string().max(64).optional(),
  state: z.enum(liveStates).optional(),
  order: z.enum(liveOrders).default("start"),
  /** From the other end. */
  reverse: z.stringbool().default(false),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_LIVE_ROWS).default(MAX_LIVE_ROWS),
});

const liveCall = z.object({
  id,
  customer_id: z.uuid(),
  name: z.string(),
  email: z.string(),
  status: callStatus,
  since: instant,
  answered_at: instant.nullable(),
  /** When it is cut unless credit is added. */
  ends_at: instant.nullable(),
  destination: z.string(),
  country_code: countryCode,
  number_type: z.string(),
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

const liveSums = z.object({
  talking: z.int(),
  ringing: z.int(),
  /** If all ended now. */
  charge: dollars,
  /** What they cost customers in a minute of talk. */
  per_minute: dollars,
  /** If each lasted until its limit. */
  held: dollars,
  /** Of calls whose cost is known; null for roles that may not see costs. */
  margin: dollars.nullable(),
});

/** Live calls that have something in common, the most expensive first. */
const liveGroups = z.object({
  groups: z.array(z.object({ key: z.string(), name: z.string(), calls: z.int(), charge: dollars })),
  /** The groups that are left out, together. */
  others: z.object({ groups: z.int(), calls: z.int(), charge: dollars }),
});
export type LiveGroups = z.infer<typeof liveGroups>;

/** `GET /api/operator/calls/live`: ringing calls too. Sums and groups are of all live calls, whatever the filter. */
export const liveCallsResponse = z.object({
  at: instant,
  calls: z.array(liveCall),
  /** How many calls match the filter. */
  matching: z.int(),
  /** There are more live calls than the service counts: sums, groups and filters leave out the oldest. */
  more: z.boolean(),
  sums: liveSums,
  /** Of all live calls, how many are in each state. */
  states: z.record(z.enum(liveStates), z.int()),
  countries: liveGroups,
  /** By the prefix that sets the price. */
  prefixes: liveGroups,
  trunks: liveGroups,
  /** Only those with several calls. */
  customers: liveGroups,
  exchanges: z.array(z.string()),
});
export type LiveCallsResponse = z.infer<typeof liveCallsResponse>;
