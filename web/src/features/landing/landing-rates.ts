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

/** One country of the pad: ISO code, name, country code, rate per minute, and the kind of number that rate is for. */
export type PadCountry = readonly [code: string, name: string, dialCode: string, rate: string, type: "mobile" | "landline"];

/** Preselected in the pad if the deck has it. */
const FIRST = "US";

/** The mobile rate of a country, otherwise the first one. */
export function padCountries(rates: readonly Rate[]): readonly PadCountry[] {
  return [...Map.groupBy(rates, (rate) => rate.country_code).values()].flatMap((ofCountry): readonly PadCountry[] => {
    const rate = ofCountry.find((one) => one.number_type === "mobile") ?? ofCountry[0];
    if (rate === undefined) return [];
    return [[rate.country_code, rate.country_name, rate.dial_code, rate.our_rate_per_minute, rate.number_type]];
  });
}

/** The initial content of the pad. */
export function firstCountry(countries: readonly PadCountry[]): PadCountry | undefined {
  return countries.find(([code]) => code === FIRST) ?? countries[0];
}
