import { DAY_MS } from "./durations.ts";

const MINUTE_MS = 60_000;

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

/** Whether a text is the IANA name of a time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
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
