import { NUMBER_CLOCKS } from "../data/number-clock-rows.ts";
import { DAY_MS } from "../durations.ts";
import { hasSeveralClocks, timeZoneOf, type CountryOfSeveralClocks } from "./time-zones.ts";

const MINUTE_MS = 60_000;

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

/**
 * The moment of a date and time on a clock. Of a time that the clock shows twice it is the first; one that the clock skips counts
 * by the offset before the gap (RFC 5545 §3.3.5).
 * @param date "2027-03-28" @param time "18:00" @param timeZone IANA name
 */
export function momentOnClock({
  date,
  time,
  timeZone,
}: {
  readonly date: string;
  readonly time: string;
  readonly timeZone: string;
}): Date {
  const asUtc = Date.parse(`${date}T${time}:00Z`);
  const by = (offset: number) => asUtc - offset * MINUTE_MS;
  // No zone is a day or more from UTC, so one of these is before a change on this date and the other after it.
  const [before, after] = [asUtc - DAY_MS, asUtc + DAY_MS].map((at) => offsetMinutes(timeZone, new Date(at))) as [number, number];
  const isShown = (offset: number) => offsetMinutes(timeZone, new Date(by(offset))) === offset;
  return new Date(by(isShown(before) || !isShown(after) ? before : after));
}

/** The date that a clock shows at a moment: "2027-03-28". @param timeZone IANA name; default: this machine's */
export function dateOnClock(at: Date, timeZone?: string): string {
  const { year, month, day } = shownBy(at, timeZone);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

/** Minutes that a time zone is ahead of UTC at an instant; negative if behind. @param timeZone IANA name */
export function offsetMinutes(timeZone: string, at: Date): number {
  const { year, month, day, hour, minute, second } = shownBy(at, timeZone);
  return Math.round((Date.UTC(year, month - 1, day, hour, minute, second) - at.getTime()) / MINUTE_MS);
}

function shownBy(at: Date, timeZone: string | undefined) {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  return {
    ...{ year: read("year"), month: read("month"), day: read("day") },
    ...{ hour: read("hour"), minute: read("minute"), second: read("second") },
  };
}
