import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { partUses, trouble } from "../operations.ts";
import { dollars, instant } from "../values.ts";
import { queueCount } from "./queue.ts";

/** A part of a day in UTC, up to the time of the reading. */
const dayFigures = z.object({
  /** "2026-11-26". */
  day: z.string(),
  /** Calls that were sent to a carrier and have ended, and the seconds talked. */
  calls: z.int(),
  seconds: z.int(),
  revenue: dollars,
  /** Null for roles that may not see costs. */
  margin: dollars.nullable(),
  top_ups: z.int(),
  topped_up: dollars,
  /** Refunds and withdrawals, less those that failed. */
  refunds: z.int(),
  refunded: dollars,
  new_customers: z.int(),
});
export type DayFigures = z.infer<typeof dayFigures>;

const overviewTrunk = z.object({
  name: z.string(),
  /** Null if the exchange does not say. */
  state: z.enum(["ok", "down", "refused", "failing"]).nullable(),
  /** Attempts of the last hour, and those that were answered. */
  seizures: z.int(),
  answered: z.int(),
});
export type OverviewTrunk = z.infer<typeof overviewTrunk>;

const deckStart = z.object({ name: z.string(), trunk: z.string().nullable(), effective_at: instant });

/** What is missing before the first call can be sold. */
const firstSteps = z.object({
  /** A second operator. */
  operators: z.boolean(),
  /** A price list of one's own. */
  deck: z.boolean(),
  /** A way to the phone network. */
  trunk: z.boolean(),
  /** A payment provider that moves real money. */
  payments: z.boolean(),
});
export type FirstSteps = z.infer<typeof firstSteps>;

/** `GET /api/operator/overview`: how the service does at this moment. Null is what the operator's role may not see. */
const overviewResponse = z.object({
  at: instant,
  /** Those that wake somebody up first, then the oldest. */
  warnings: z.array(trouble),
  parts: partUses,
  queue: z.array(queueCount),
  live: z.object({
    ringing: z.int(),
    answered: z.int(),
    /** If they ended now. */
    charge: dollars,
    /** If each lasted until its limit. */
    held: dollars,
    cost: dollars.nullable(),
  }),
  today: dayFigures,
  /** The same weekday a week ago, up to the same time of the day. */
  week_ago: dayFigures,
  trunks: z.array(overviewTrunk),
  ledger: z.object({ checked_at: instant.nullable(), good_at: instant.nullable(), deviations: z.int() }).nullable(),
  /** The active selling deck, and the next start of any deck. */
  decks: z.object({ active: deckStart.nullable(), next: deckStart.nullable() }).nullable(),
  /** Only before the first call, for administrators. */
  first_steps: firstSteps.nullable(),
});
export type OverviewResponse = z.infer<typeof overviewResponse>;

export const operatorOverviewEndpoints = {
  "GET /api/operator/overview": { access: "operator", right: "read-overview", answer: overviewResponse },
} as const satisfies Endpoints;
