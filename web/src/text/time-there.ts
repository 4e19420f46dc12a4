import { formatTime } from "./format.ts";

/** Night at the destination: calls at these hours disturb people. */
const NIGHT_FROM_HOUR = 22;
const NIGHT_UNTIL_HOUR = 7;

/** The local time at a destination. */
export interface TimeThere {
  /** "19:42", or "7:42 PM" for readers who write it so. */
  time: string;
  /** Since midnight there. */
  minutes: number;
  night: boolean;
}

/** The local time on a clock; null without one, or in a browser older than its name. @param timeZone IANA name */
export function timeThere(timeZone: string | null, now: Date): TimeThere | null {
  const clock = timeZone === null ? null : clockIn(timeZone);
  if (timeZone === null || clock === null) return null;
  const [hour = 0, minute = 0] = clock.format(now).split(":").map(Number);
  return {
    time: formatTime(now, timeZone),
    minutes: hour * 60 + minute,
    night: hour >= NIGHT_FROM_HOUR || hour < NIGHT_UNTIL_HOUR,
  };
}

/** Cached: creating a formatter is expensive, and each keystroke formats the time again. */
const clocks = new Map<string, Intl.DateTimeFormat | null>();

function clockIn(timeZone: string): Intl.DateTimeFormat | null {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    try {
      clock = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
    } catch {
      clock = null;
    }
    clocks.set(timeZone, clock);
  }
  return clock;
}
