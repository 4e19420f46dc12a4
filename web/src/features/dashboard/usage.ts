import type { SummaryResponse, Usage } from "@farline/contract/call-history.ts";
import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { formatMinutes, formatSum } from "../../text/format.ts";

/** The quantity that a chart shows. */
export type Measure = "spend" | "minutes";

/** Scaled to a height or length between 0 and 1, with 1 for the largest. */
export function shareOf(usage: Usage, all: readonly Usage[], measure: Measure): number {
  const largest = Math.max(...all.map((one) => sizeOf(one, measure)));
  return largest === 0 ? 0 : sizeOf(usage, measure) / largest;
}

/** The scale of a chart: the value of its longest bar. */
export function largestOf(all: readonly Usage[], measure: Measure): Usage {
  return all.toSorted((a, b) => sizeOf(b, measure) - sizeOf(a, measure))[0] ?? sumOf([]);
}

/** Only for drawing: displayed amounts come from the exact decimal strings. */
function sizeOf(usage: Usage, measure: Measure): number {
  return measure === "spend" ? Number(fromDecimalString(usage.spend)) : usage.seconds;
}

export type CountryUsage = SummaryResponse["countries"][number];

/** The countries, largest first; those beyond `limit` are added up, null if there are none. */
export function rankCountries(
  countries: readonly CountryUsage[],
  measure: Measure,
  limit: number,
): { first: readonly CountryUsage[]; others: { count: number; usage: Usage } | null } {
  const ranked = countries.toSorted((a, b) => sizeOf(b, measure) - sizeOf(a, measure));
  const rest = ranked.slice(limit);
  return { first: ranked.slice(0, limit), others: rest.length === 0 ? null : { count: rest.length, usage: sumOf(rest) } };
}

export function sumOf(all: readonly Usage[]): Usage {
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    seconds: all.reduce((sum, { seconds }) => sum + seconds, 0),
    spend: toDecimalString(all.reduce((sum, { spend }) => sum + fromDecimalString(spend), 0n)),
  };
}

/** Whole minutes of talk, rounded up from the seconds. */
export function minutesOf({ seconds }: Usage): number {
  return Math.ceil(seconds / 60);
}

/** The amount of a chart's bar. */
export function amountText(measure: Measure): (usage: Usage) => string {
  return (usage) => (measure === "spend" ? formatSum(usage.spend) : formatMinutes(minutesOf(usage)));
}
