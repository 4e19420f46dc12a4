import { NUMBER_CLOCKS } from "../data/number-clock-rows.ts";
import { hasSeveralClocks, timeZoneOf, type CountryOfSeveralClocks } from "./time-zones.ts";

/** Beside the capital's, one time zone for each clock that a country has today, from east to west. */
const OTHER_CLOCKS: Readonly<Record<CountryOfSeveralClocks, readonly string[]>> = {
  AU: [
    "Australia/Brisbane",
    "Australia/Adelaide",
    "Australia/Darwin",
    "Australia/Perth",
    "Australia/Eucla",
    "Australia/Lord_Howe",
  ],
  BR: ["America/Noronha", "America/Manaus", "America/Rio_Branco"],
  CA: [
    "America/St_Johns",
    "America/Halifax",
    "America/Blanc-Sablon",
    "America/Atikokan",
    "America/Winnipeg",
    "America/Regina",
    "America/Edmonton",
    "America/Inuvik",
    "America/Whitehorse",
    "America/Vancouver",
  ],
  CD: ["Africa/Lubumbashi"],
  CL: ["America/Punta_Arenas", "Pacific/Easter"],
  EC: ["Pacific/Galapagos"],
  ES: ["Atlantic/Canary"],
  FM: ["Pacific/Chuuk"],
  GL: ["America/Danmarkshavn", "America/Thule"],
  ID: ["Asia/Makassar", "Asia/Jayapura"],
  KI: ["Pacific/Enderbury", "Pacific/Kiritimati"],
  MN: ["Asia/Hovd"],
  MX: [
    "America/Cancun",
    "America/Mazatlan",
    "America/Hermosillo",
    "America/Matamoros",
    "America/Ciudad_Juarez",
    "America/Tijuana",
  ],
  NZ: ["Pacific/Chatham"],
  PF: ["Pacific/Marquesas", "Pacific/Gambier"],
  PG: ["Pacific/Bougainville"],
  PT: ["Atlantic/Azores"],
  RU: [
    "Europe/Kaliningrad",
    "Europe/Samara",
    "Asia/Yekaterinburg",
    "Asia/Omsk",
    "Asia/Novosibirsk",
    "Asia/Krasnoyarsk",
    "Asia/Irkutsk",
    "Asia/Yakutsk",
    "Asia/Vladivostok",
    "Asia/Sakhalin",
    "Asia/Magadan",
    "Asia/Kamchatka",
  ],
  US: [
    "America/Chicago",
    "America/Denver",
    "America/Phoenix",
    "America/Los_Angeles",
    "America/Anchorage",
    "America/Adak",
    "Pacific/Honolulu",
  ],
};

/** The time zones of a country's clocks, the capital's first; empty for an unknown code. @param iso2 ISO 3166-1 alpha-2 */
export function clocksOf(iso2: string): readonly string[] {
  const capital = timeZoneOf(iso2);
  if (capital === null) return [];
  return hasSeveralClocks(iso2) ? [capital, ...OTHER_CLOCKS[iso2]] : [capital];
}

let prefixes: ReadonlyMap<string, readonly string[]> | null = null;

/** The time zones that a number can be in: one where its digits or its country tell. @param e164 with the plus */
export function clocksOfNumber(e164: string, iso2: string): readonly string[] {
  const all = clocksOf(iso2);
  if (all.length < 2) return all;
  prefixes ??= new Map(
    Object.entries(NUMBER_CLOCKS).flatMap(([zones, digits]) => {
      const clocks = zones.split(" ");
      return digits
        .trim()
        .split(/\s+/)
        .map((prefix) => [prefix, clocks] as const);
    }),
  );
  for (let end = e164.length; end > 1; end -= 1) {
    const clocks = prefixes.get(e164.slice(1, end));
    if (clocks !== undefined) return clocks;
  }
  return all;
}

/** The time zone of a number; null if it can be in one of several, or in none that is known. */
export function clockOfNumber(e164: string, iso2: string): string | null {
  const clocks = clocksOfNumber(e164, iso2);
  return clocks.length === 1 ? (clocks[0] ?? null) : null;
}
