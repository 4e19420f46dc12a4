import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { numberRefusals } from "../api/error-codes.ts";
import { countryCode, instant, ratePerMinute } from "../values.ts";

const MAX_NUMBER_CHARS = 64;

const rate = z.object({ per_minute: ratePerMinute, first_interval_s: z.number().int(), next_interval_s: z.number().int() });

const explainedDeck = z.object({
  id: z.uuid(),
  name: z.string(),
  effective_at: instant,
  is_scheduled: z.boolean(),
  /** The row of the longest matching prefix; null if there is none or the number is blocked. */
  row: z
    .object({
      prefix: z.string(),
      description: z.string(),
      number_type: z.string(),
      cost: rate,
      price: rate,
      /** How the price follows from the cost. */
      mark_up: z.string(),
      /** What remains of a typical call's price. */
      typical_margin_percent: z.number(),
    })
    .nullable(),
  /** The prefix that keeps the number from the price of a shorter one. */
  blocked_prefix: z.string().nullable(),
  is_sold: z.boolean(),
  /** Whether it is sold, and why not. */
  verdict: z.string(),
});

const explanation = z.object({
  /** E.164. */
  number: z.string(),
  written: z.string(),
  country_code: countryCode,
  country_name: z.string(),
  /** In the numbering plan; `unknown` for unassigned ranges. */
  number_type: z.string(),
  risk: z.object({ level: z.enum(["block", "high", "watch"]), reason: z.string() }).nullable(),
  /** Null without a price. */
  price_class: z.enum(["A", "B", "C"]).nullable(),
  /** The active deck, and the next one. */
  decks: z.array(explainedDeck),
  /** Trunks with a price list of their own. */
  trunks: z.array(z.object({ trunk: z.string(), cost: rate.nullable(), text: z.string() })),
  /** Active breakers that stop calls to it. */
  breakers: z.array(z.string()),
  /** The longest call of each tier of customers; null if it is closed to the tier. */
  longest_calls: z.array(z.object({ tier: z.string(), seconds: z.number().int().nullable() })),
});
export type ExplanationResponse = z.infer<typeof explanation>;

const range = z.object({ lowest: ratePerMinute, highest: ratePerMinute });

const period = z.object({
  deck_id: z.uuid(),
  name: z.string(),
  from: instant,
  /** Null for the last one. */
  until: instant.nullable(),
  state: z.enum(["past", "active", "scheduled"]),
  /** By number type; empty if calls to the country were not sold. */
  prices: z.array(z.object({ number_type: z.string(), prefixes: z.number().int(), cost: range, price: range })),
});

/** A country's prices, the latest first. */
const historyResponse = z.object({ country_code: countryCode, country_name: z.string(), periods: z.array(period) });
export type PriceHistoryResponse = z.infer<typeof historyResponse>;

export const operatorPriceEndpoints = {
  /** Posted, so that no number gets into a URL. */
  "POST /api/operator/prices/explain": {
    access: "operator",
    right: "read-costs",
    body: z.object({ number: z.string().max(MAX_NUMBER_CHARS), country: countryCode.nullable() }),
    answer: explanation,
    refusals: numberRefusals,
  },
  "GET /api/operator/prices/history": {
    access: "operator",
    right: "read-costs",
    query: z.object({ country: countryCode }),
    answer: historyResponse,
  },
} as const satisfies Endpoints;
