import { TIME_ZONES } from "../data/time-zone-rows.ts";

/**
 * The IANA time zone of a country's capital, for example "Africa/Accra"; null for an unknown code.
 * @param iso2 ISO 3166-1 alpha-2 in upper case
 */
export function timeZoneOf(iso2: string): string | null {
  return Object.hasOwn(TIME_ZONES, iso2) ? (TIME_ZONES[iso2] ?? null) : null;
}
