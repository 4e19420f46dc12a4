import { offsetMinutes } from "@farline/domain/wall-clock.ts";
import { clockParts } from "../shell/texts.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const WEEK_HOURS = 168;
const USUAL_WEEKS = 4;
/** Fewer calls than this are no measure of an hour. */
const MIN_USUAL = 20;
/** An hour with less than this share of the usual is called low. */
const LOW_SHARE = 0.6;

/** One figure for each hour from a whole hour in UTC on; the last hour is not over. */
export interface Hours {
  readonly fromMs: number;
  readonly values: readonly number[];
}

/** A day on a zone's clock: 24 hours, or 23 and 25 where the clock changes. */
export interface ClockDay {
  /** "2026-11-26" */
  readonly date: string;
  /** Where its first hour stands in the figures. */
  readonly first: number;
  /** How many of its hours there are figures for. */
  readonly hours: number;
  readonly sum: number;
}

/**
 * The last days on a zone's clock, empty ones too. Where a zone is not whole hours from UTC, an hour belongs to the day in which it begins.
 * @param zone IANA name
 */
export function daysOf({ fromMs, values }: Hours, zone: string, count: number): ClockDay[] {
  const days: ClockDay[] = [];
  values.forEach((value, index) => {
    const { date } = clockParts(fromMs + index * HOUR_MS, zone);
    const last = days.at(-1);
    if (last?.date === date) days[days.length - 1] = { ...last, hours: last.hours + 1, sum: last.sum + value };
    else days.push({ date, first: index, hours: 1, sum: value });
  });
  return days.slice(-count);
}

/** The mean of the same hour by the clock on the same weekday of the last four weeks; null without any. @param index may be of an hour to come */
export function usualAt({ fromMs, values }: Hours, index: number, zone: string): number | null {
  const atMs = fromMs + index * HOUR_MS;
  const found: number[] = [];
  for (let week = 1; week <= USUAL_WEEKS; week += 1) {
    const thenMs = atMs - week * WEEK_HOURS * HOUR_MS;
    const changed = (offsetMinutes(zone, new Date(atMs)) - offsetMinutes(zone, new Date(thenMs))) * MINUTE_MS;
    const value = values[Math.round((thenMs + changed - fromMs) / HOUR_MS)];
    if (value !== undefined) found.push(value);
  }
  return found.length === 0 ? null : found.reduce((sum, one) => sum + one, 0) / found.length;
}

/** What today will come to if its remaining hours are as usual; null where nothing is usual yet. @param today the last of `daysOf` */
export function expectedOf(hours: Hours, today: ClockDay, zone: string): number | null {
  const current = hours.values.length - 1;
  const usualNow = usualAt(hours, current, zone);
  if (usualNow === null) return null;
  let expected = today.sum + Math.max(0, usualNow - (hours.values[current] ?? 0));
  for (let index = current + 1; clockParts(hours.fromMs + index * HOUR_MS, zone).date === today.date; index += 1)
    expected += usualAt(hours, index, zone) ?? 0;
  return expected;
}

/** Whether an hour that is over had far less than usual. */
export function isLow(value: number, usual: number | null): boolean {
  return usual !== null && usual >= MIN_USUAL && value < LOW_SHARE * usual;
}
