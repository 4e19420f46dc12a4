import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { partUses, trouble } from "../operations.ts";
import { dollars, instant } from "../values.ts";
import { queueCount } from "./queue.ts";

/** A part of a day on a clock, up to the time of the reading. */
const dayFigures = z.object({
  /** "2026-11-26". */
  day: z.string(),
  /** Calls that were sent to a carrier and have ended, and the seconds talked. */
  calls: z.int(),
  answered: z.int(),
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
  /** Calls that it carries now. */
  live: z.int(),
  /** The same in this hour of the week, of the last four weeks together. */
  usual_seizures: z.int(),
  usual_answered: z.int(),
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

/** What is read apart, so that the rest stays when one of them cannot be read. */
const overviewParts = ["warnings", "parts", "queue", "live", "today", "trunks", "ledger", "decks", "first_steps"] as const;
export type OverviewPart = (typeof overviewParts)[number];

/** In which zone days begin: an IANA name; UTC if left out. */
export const zoneQuery = z.object({ zone: z.string().max(64).optional() });

/**
 * `GET /api/operator/overview`: how the service does at this moment. Null is what the operator's role may not see, and what could not be
 * read, which `unread` names.
 */
const overviewResponse = z.object({
  at: instant,
  unread: z.array(z.enum(overviewParts)),
  /** Those that wake somebody up first, then the oldest. */
  warnings: z.array(trouble).nullable(),
  parts: partUses.nullable(),
  queue: z.array(queueCount).nullable(),
  live: z
    .object({
      ringing: z.int(),
      answered: z.int(),
      /** If they ended now. */
      charge: dollars,
      /** If each lasted until its limit. */
      held: dollars,
      cost: dollars.nullable(),
    })
    .nullable(),
  today: dayFigures.nullable(),
  /** The same weekday a week ago, up to the same time of the day. */
  week_ago: dayFigures.nullable(),
  trunks: z.array(overviewTrunk).nullable(),
  ledger: z.object({ checked_at: instant.nullable(), good_at: instant.nullable(), deviations: z.int() }).nullable(),
  /** The active selling deck, and the next start of any deck. */
  decks: z.object({ active: deckStart.nullable(), next: deckStart.nullable() }).nullable(),
  /** Only before the first call, for administrators. */
  first_steps: firstSteps.nullable(),
});
export type OverviewResponse = z.infer<typeof overviewResponse>;

/** `GET /api/operator/overview/hours`: one value for each hour from `from` on; the last is not over. */
const overviewHours = z.object({
  /** A whole hour in UTC. */
  from: instant,
  calls: z.array(z.int()),
  answered: z.array(z.int()),
  seconds: z.array(z.int()),
  revenue: z.array(dollars),
  /** Null for roles that may not see costs. */
  margin: z.array(dollars).nullable(),
  at: instant,
});
export type OverviewHours = z.infer<typeof overviewHours>;

export const operatorOverviewEndpoints = {
  "GET /api/operator/overview": {
    access: "operator",
    right: "read-overview",
    query: zoneQuery,
    answer: overviewResponse,
    refusals: ["validation_failed"],
  },
  "GET /api/operator/overview/hours": { access: "operator", right: "read-overview", answer: overviewHours },
} as const satisfies Endpoints;
