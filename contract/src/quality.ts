import { MIN_CALLS, REPORT_DAYS } from "@farline/domain/calls/published-quality.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { countryCode, instant } from "./values.ts";

/** How calls to one country went, rounded by `domain/src/calls/published-quality.ts`. */
const destinationQuality = z.object({
  country_code: countryCode,
  /** The days until `last_day` in which the calls were made. */
  days: z.literal(REPORT_DAYS),
  /** The lower end of a band. */
  calls_at_least: z.number().int().min(MIN_CALLS),
  /** Answered calls of all calls that were sent to a carrier, each once. */
  answered_percent: z.number().int().min(0).max(100),
  /** From dialling until the phone rang or answered; null without enough measurements. */
  delay_median_seconds: z.number().min(0).nullable(),
  delay_p95_seconds: z.number().min(0).nullable(),
  /** Mean opinion score, 1 to 5, of half the calls or more; null without enough measurements. */
  mos_median: z.number().min(1).max(5).nullable(),
});
export type DestinationQuality = z.infer<typeof destinationQuality>;

/**
 * Answer of `GET /api/quality`, by country code: the countries with enough calls. Made once a day from complete days (UTC); both times
 * are null before the first report.
 */
export const qualityReport = z.object({
  last_day: z.iso.date().nullable(),
  made_at: instant.nullable(),
  destinations: z.array(destinationQuality),
});
export type QualityReport = z.infer<typeof qualityReport>;

export const qualityEndpoints = {
  "GET /api/quality": { access: "visitor", answer: qualityReport },
} as const satisfies Endpoints;
