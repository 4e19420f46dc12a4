import type { Rate } from "@farline/contract/rates.ts";

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
