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

/** The local time on a clock; null without one. @param timeZone IANA name */
export function timeThere(timeZone: string | null, now: Date): TimeThere | null {
  if (timeZone === null) return null;
  const [hour = 0, minute = 0] = clockIn(timeZone).format(now).split(":").map(Number);
  return {
    time: formatTime(now, timeZone),
    minutes: hour * 60 + minute,
    night: hour >= NIGHT_FROM_HOUR || hour < NIGHT_UNTIL_HOUR,
  };
}

/** Cached: creating a formatter is expensive, and each keystroke formats the time again. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  clocks.set(timeZone, made);
  return made;
}
