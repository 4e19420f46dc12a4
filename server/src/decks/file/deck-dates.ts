import { plainCell } from "./deck-values.ts";

const YEAR_FIRST = /^(\d{4})([-/.]?)(\d{2})\2(\d{2})$/;
const YEAR_LAST = /^(\d{1,2})([./-])(\d{1,2})\2(\d{2}|\d{4})$/;
/** Days since 1899-12-30, by which spreadsheets store dates, with a fraction for the time. */
const SERIAL = /^\d{5}(?:\.\d{1,10})?$/;
const SERIAL_EPOCH_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
/** The newest serial of a list is this near to its import. One of a workbook that counts from 1904 would be four years earlier. */
const SERIAL_WITHIN_MS = 2 * 365 * DAY_MS;
/** A first part that may be a year of two digits: `26/12/25`. */
const MAY_BE_YEAR = [20, 30] as const;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const FULL_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october"].concat([
  "november",
  "december",
]);
const DAY_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?[-\s./]*([a-z]{3,9})\.?[-\s./,]*(\d{4}|(?<=[-\s./,])\d{2})$/i;
const MONTH_DAY = /^([a-z]{3,9})\.?[-\s./]*(\d{1,2})(?:st|nd|rd|th)?[-\s,]+(\d{4})$/i;
/** A time after a day, in 24-hour or 12-hour form, in UTC or with an offset. */
const TIME = /(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(?:([ap])\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i;
const AT_ONCE = /^(?:asap|immediate(?:ly)?|now)$/i;
const MAX_OFFSET_MINUTES = 14 * 60;

/** Which of the first two numbers of `03/04/2026` is the day. */
export type DateOrder = "dmy" | "mdy";

/** How the dates of a file are read: their order if it is known, and whether numbers are a spreadsheet's days. */
export interface DateReading {
  readonly order: DateOrder | null;
  readonly hasSerials: boolean;
}

/** When a row takes effect: a time, `null` for immediately, or the reason why the date cannot be read. */
type DeckDate = Date | null | "date_form" | "date_unclear";

/**
 * Reads a date, in UTC unless it has an offset: `2026-12-01`, `20261201`, `01.12.2026`, `01-Dec-2026` or, by `order`, `12/01/2026`, each
 * with or without a time and with a year of two digits where that is certain; `46357`; `ASAP` or an empty cell for immediately.
 */
export function readDate(cell: string, { order, hasSerials }: DateReading): DeckDate {
  const text = plainCell(cell);
  if (text === "" || AT_ONCE.test(text)) return null;
  if (SERIAL.test(text)) return hasSerials ? new Date(Math.round(SERIAL_EPOCH_MS + Number(text) * DAY_MS)) : "date_unclear";
  const clock = TIME.exec(text);
  const parts = readDay(dayOf(text), order);
  if (typeof parts === "string") return parts;
  const ms = clock === null ? 0 : readClock(clock);
  return ms === null ? "date_form" : toDate(parts, ms);
}

function dayOf(text: string): string {
  return text.replace(TIME, "").trim();
}

/** Milliseconds since the beginning of the UTC day, or null. */
function readClock([, hours, minutes, seconds, half, zone]: RegExpExecArray): number | null {
  const [hour, minute, second] = [hours, minutes, seconds ?? "0"].map(Number) as [number, number, number];
  const isTwelve = half !== undefined;
  if (isTwelve ? hour < 1 || hour > 12 : hour > 23) return null;
  if (minute > 59 || second > 59) return null;
  const afternoon = half?.toLowerCase() === "p" ? 12 : 0;
  const offset = readOffset(zone ?? "Z");
  if (offset === null) return null;
  return (((isTwelve ? hour % 12 : hour) + afternoon) * 3_600 + (minute - offset) * 60 + second) * 1_000;
}

function readOffset(zone: string): number | null {
  if (!/^[+-]/.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  const size = hours * 60 + minutes;
  if (minutes > 59 || size > MAX_OFFSET_MINUTES) return null;
  return zone.startsWith("-") ? -size : size;
}

type Day = readonly [year: number, month: number, day: number];

function readDay(text: string, order: DateOrder | null): Day | "date_form" | "date_unclear" {
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst !== null) return [Number(yearFirst[1]), Number(yearFirst[3]), Number(yearFirst[4])];
  const named = readNamedMonth(text);
  if (named !== null) return named;
  const yearLast = YEAR_LAST.exec(text);
  if (yearLast === null) return "date_form";
  const isShort = yearLast[4]?.length === 2;
  const [a, b, year] = [Number(yearLast[1]), Number(yearLast[3]), fullYear(yearLast[4])];
  // "26.06.26" is the same day whichever part is the year.
  if (isShort && a > 12 && 2000 + a === year) return [year, b, a];
  const isClear = yearLast[2] === "." || a === b;
  if (isClear && (!isShort || !mayBeYear(a))) return [year, b, a];
  const known = order ?? orderOf([text]);
  if (known === null) return "date_unclear";
  return known === "dmy" ? [year, b, a] : [year, a, b];
}

function readNamedMonth(text: string): Day | null {
  const dayFirst = DAY_MONTH.exec(text);
  const monthFirst = MONTH_DAY.exec(text);
  const [day, name, year] = dayFirst === null ? [monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]] : dayFirst.slice(1);
  const month = monthOf(name ?? "");
  return month === 0 ? null : [fullYear(year), month, Number(day)];
}

function monthOf(name: string): number {
  const small = name.toLowerCase();
  return 1 + Math.max(MONTHS.indexOf(small === "sept" ? "sep" : small), FULL_MONTHS.indexOf(small));
}

function fullYear(digits = ""): number {
  return digits.length === 2 ? 2000 + Number(digits) : Number(digits);
}

function mayBeYear(first: number): boolean {
  return first >= MAY_BE_YEAR[0] && first <= MAY_BE_YEAR[1];
}

function toDate([year, month, day]: Day, ms: number): Date | "date_form" {
  const date = new Date(Date.UTC(year, month - 1, day));
  const same = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return same && year >= 2000 ? new Date(date.getTime() + ms) : "date_form";
}

/**
 * How the dates of a file are read.
 * @param order what the operator says
 * @param at the time of the deck, near which the newest serial must be
 */
export function dateReading(cells: ReadonlySet<string>, order: DateOrder | null, at: Date): DateReading {
  const serials = [...cells].map(plainCell).filter((cell) => SERIAL.test(cell));
  const newest = Math.max(...serials.map((cell) => SERIAL_EPOCH_MS + Number(cell) * DAY_MS));
  return { order: order ?? orderOf(cells), hasSerials: Math.abs(newest - at.getTime()) <= SERIAL_WITHIN_MS };
}

/** The order of day and month in a file's dates; null if no date reveals it or they contradict each other. */
export function orderOf(cells: Iterable<string>): DateOrder | null {
  const found = new Set<DateOrder>();
  for (const cell of cells) {
    const match = YEAR_LAST.exec(dayOf(cell.trim()));
    if (match === null || match[2] === ".") continue;
    const [a, b] = [Number(match[1]), Number(match[3])];
    if (a > 12 && (match[4]?.length === 4 || !mayBeYear(a))) found.add("dmy");
    if (b > 12) found.add("mdy");
  }
  return found.size === 1 ? ([...found][0] ?? null) : null;
}
