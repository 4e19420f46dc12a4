import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { dollars, instant } from "../values.ts";

/** Days in UTC; `to` is exclusive. */
const trafficQuery = z.object({ from: z.iso.date(), to: z.iso.date() });

/** Calls of a day, a country or a trunk. */
const turnover = z.object({
  /** "2026-11-26", a country's code, or a trunk's name; "" where the provider names none. */
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

const trunkQuality = z.object({
  trunk: z.string(),
  seizures: z.int(),
  answered: z.int(),
  effective: z.int(),
  /** Null without an attempt that rang or was answered. */
  delay_median_seconds: z.number().nullable(),
  delay_p95_seconds: z.number().nullable(),
  /** Null without a measurement. */
  mos: z.number().nullable(),
});
export type TrunkQuality = z.infer<typeof trunkQuality>;

/** `GET /api/operator/traffic`. */
const trafficResponse = z.object({
  total: turnover,
  days: z.array(turnover),
  countries: z.array(turnover),
  trunks: z.array(turnover),
  quality: z.array(trunkQuality),
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
