import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { dollars, instant } from "../values.ts";
import { zoneQuery } from "./overview.ts";

/** Days on the zone's clock; `to` is exclusive. */
const trafficQuery = zoneQuery.extend({ from: z.iso.date(), to: z.iso.date() });

/** Calls of an hour, a day, a country or a trunk. */
const turnover = z.object({
  /** The hour's beginning, "2026-11-26", a country's code, or a trunk's name; "" where the provider names none. */
  key: z.string(),
  calls: z.int(),
  answered: z.int(),
  /** Talked. */
  seconds: z.int(),
  revenue: dollars,
  cost: dollars,
  /** The part of the cost that no carrier has said yet. */
  estimated: dollars,
  margin: dollars,
});
export type TurnoverRow = z.infer<typeof turnover>;

/** What a trunk, or all trunks for a country, did with the attempts of calls. */
const quality = z.object({
  /** A trunk's name or a country's code. */
  key: z.string(),
  seizures: z.int(),
  answered: z.int(),
  effective: z.int(),
  /** Null without an attempt that rang or was answered. */
  delay_mean_seconds: z.number().nullable(),
  /** Of trunks alone. */
  delay_median_seconds: z.number().nullable(),
  delay_p95_seconds: z.number().nullable(),
  /** Null without a measurement. */
  mos: z.number().nullable(),
});
export type QualityRow = z.infer<typeof quality>;

/** `GET /api/operator/traffic`. */
const trafficResponse = z.object({
  total: turnover,
  /** Only those with calls, and only of a span of at most three days. */
  hours: z.array(turnover),
  /** Only those with calls. */
  days: z.array(turnover),
  countries: z.array(turnover),
  trunks: z.array(turnover),
  quality: z.array(quality),
  country_quality: z.array(quality),
  read_at: instant,
});
export type TrafficResponse = z.infer<typeof trafficResponse>;

export const operatorTrafficEndpoints = {
  "GET /api/operator/traffic": {
    access: "operator",
    right: "read-costs",
    query: trafficQuery,
    answer: trafficResponse,
    refusals: ["validation_failed"],
  },
} as const satisfies Endpoints;
