import type { Rate } from "@farline/contract/rates.ts";
import { fromDecimalString } from "@farline/domain/money.ts";

/** Shown on the landing page, in this order, if the deck has a mobile rate for them. */
const POPULAR = ["US", "IN", "GB", "CA", "AE", "AU"];

export function popularRates(rates: readonly Rate[]): readonly Rate[] {
  return POPULAR.flatMap((code) => rates.find((rate) => rate.country_code === code && rate.number_type === "mobile") ?? []);
}

/** The lowest rate of the deck that pages may claim with "from"; null when there is none. */
export function lowestRate({ rates }: { readonly rates: readonly Pick<Rate, "our_rate_per_minute">[] }): string | null {
  const sorted = rates
    .map((rate) => rate.our_rate_per_minute)
    .toSorted((a, b) => (fromDecimalString(a) < fromDecimalString(b) ? -1 : 1));
  return sorted[0] ?? null;
}
