import { TIME_ZONES } from "../data/time-zone-rows.ts";

/** Countries whose parts have different clocks today; `clocksOf` lists them. */
const SEVERAL_CLOCKS = [
  "AU",
  "BR",
  "CA",
  "CD",
  "CL",
  "EC",
  "ES",
  "FM",
  "GL",
  "ID",
  "KI",
  "MN",
  "MX",
  "NZ",
  "PF",
  "PG",
  "PT",
  "RU",
  "US",
] as const;
export type CountryOfSeveralClocks = (typeof SEVERAL_CLOCKS)[number];

/** Whether the clock of the capital does not tell the time everywhere in the country. */
export function hasSeveralClocks(iso2: string): iso2 is CountryOfSeveralClocks {
  return (SEVERAL_CLOCKS as readonly string[]).includes(iso2);
}

/** The IANA time zone of a country with one clock; null for the others. */
export function onlyClockOf(iso2: string): string | null {
  return hasSeveralClocks(iso2) ? null : timeZoneOf(iso2);
}

/**
 * The IANA time zone of a country's capital, for example "Africa/Accra"; null for an unknown code.
 * @param iso2 ISO 3166-1 alpha-2 in upper case
 */
export function timeZoneOf(iso2: string): string | null {
  return Object.hasOwn(TIME_ZONES, iso2) ? (TIME_ZONES[iso2] ?? null) : null;
}
