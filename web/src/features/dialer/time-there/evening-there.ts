import { timeThere } from "../../../text/time-there.ts";

/** When most people are at home and awake. */
const EVENING_HOURS = { from: 18, until: 21 };
const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

/**
 * When the next evening begins at a destination: "18:00" by the clock there, and by the reader's own. Null in the evening, or
 * without a known time zone. A change to or from summer time in between is ignored.
 * @param countryCode ISO 3166-1 alpha-2
 * @param ownZone the reader's time zone; default: this machine's
 */
export function eveningThere(
  countryCode: string,
  now: Date,
  ownZone?: string,
): { readonly there: string; readonly here: string } | null {
  const [hour = 0, minute = 0] = timeThere(countryCode, now)?.time.split(":").map(Number) ?? [EVENING_HOURS.from];
  if (hour >= EVENING_HOURS.from && hour < EVENING_HOURS.until) return null;
  const minutesAhead = ((EVENING_HOURS.from - hour) * 60 - minute + DAY_MINUTES) % DAY_MINUTES;
  const here = new Intl.DateTimeFormat("en-GB", { timeZone: ownZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return { there: `${EVENING_HOURS.from}:00`, here: here.format(now.getTime() + minutesAhead * MINUTE_MS) };
}
