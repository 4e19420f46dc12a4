import { onlyClockOf } from "@farline/domain/countries/time-zones.ts";
import { formatTime } from "../../../text/format.ts";
import { timeThere } from "../../../text/time-there.ts";

/** When most people are at home and awake, in minutes since midnight. */
const EVENING = { from: 18 * 60, until: 21 * 60 };
/** When it begins, on the clock there. */
export const EVENING_TIME = "18:00";
/** Before this, and after the evening, a call is better made later. */
const MORNING = 8 * 60;
const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

export interface Evening {
  /** When it begins, by the clock there and by the reader's own. */
  readonly there: string;
  readonly here: string;
  readonly at: Date;
  /** IANA time zone of the destination. */
  readonly zone: string;
  /** It is early or late there now. */
  readonly isOdd: boolean;
}

/**
 * The next evening at a destination. Null in the evening, or where the country has several clocks or an unknown one. A change to or from
 * summer time in between is ignored.
 * @param countryCode ISO 3166-1 alpha-2
 * @param ownZone the reader's time zone; default: this machine's
 */
export function eveningThere(countryCode: string, now: Date, ownZone?: string): Evening | null {
  const zone = onlyClockOf(countryCode);
  const minutes = timeThere(zone, now)?.minutes ?? EVENING.from;
  if (zone === null || (minutes >= EVENING.from && minutes < EVENING.until)) return null;
  const at = new Date(
    Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + ((EVENING.from - minutes + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS,
  );
  const isOdd = minutes >= EVENING.until || minutes < MORNING;
  return { there: formatTime(at, zone), here: formatTime(at, ownZone), at, zone, isOdd };
}
