import { onlyClockOf } from "@farline/domain/countries/time-zones.ts";
import { formatTime } from "../../../text/format.ts";
import { timeThere } from "../../../text/time-there.ts";

/** When most people are at home and awake, in minutes since midnight. */
const EVENING = { from: 18 * 60, until: 21 * 60 };
const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

/**
 * When the next evening begins at a destination, by the clock there and by the reader's own. Null in the evening, or where the
 * country has several clocks or an unknown one. A change to or from summer time in between is ignored.
 * @param countryCode ISO 3166-1 alpha-2
 * @param ownZone the reader's time zone; default: this machine's
 */
export function eveningThere(
  countryCode: string,
  now: Date,
  ownZone?: string,
): { readonly there: string; readonly here: string } | null {
  const zone = onlyClockOf(countryCode);
  const minutes = timeThere(zone, now)?.minutes ?? EVENING.from;
  if (zone === null || (minutes >= EVENING.from && minutes < EVENING.until)) return null;
  const begin = new Date(now.getTime() + ((EVENING.from - minutes + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS);
  return { there: formatTime(begin, zone), here: formatTime(begin, ownZone) };
}
