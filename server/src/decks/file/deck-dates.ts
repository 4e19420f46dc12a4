const YEAR_FIRST = /^(\d{4})([-/.]?)(\d{2})\2(\d{2})$/;
const YEAR_LAST = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const FULL_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october"].concat([
  "november",
  "december",
]);
const DAY_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?[-\s./]*([a-z]{3,9})\.?[-\s./,]*(\d{4})$/i;
const MONTH_DAY = /^([a-z]{3,9})\.?[-\s./]*(\d{1,2})(?:st|nd|rd|th)?[-\s,]+(\d{4})$/i;
/** A time after a day, in 24-hour or 12-hour form, in UTC or with an offset. */
const TIME = /(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(?:([ap])\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i;
const AT_ONCE = /^(?:asap|immediate(?:ly)?|now)$/i;
const MAX_OFFSET_MINUTES = 14 * 60;

/** Which of the first two numbers of `03/04/2026` is the day. */
export type DateOrder = "dmy" | "mdy";

/** When a row takes effect: a time, `null` for immediately, or the reason why the date cannot be read. */
export type DeckDate = Date | null | "date_form" | "date_unclear";

/**
 * Reads a date, in UTC unless it has an offset: `2026-12-01`, `20261201`, `01.12.2026`, `01-Dec-2026` or, by `order`, `12/01/2026`, each
 * with or without a time; `ASAP` or an empty cell for immediately.
 * @param order null if neither the file nor the operator determines it
 */
export function readDate(cell: string, order: DateOrder | null): DeckDate {
  const text = cell.trim();
  if (text === "" || AT_ONCE.test(text)) return null;
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
  const [a, b, year] = [Number(yearLast[1]), Number(yearLast[3]), Number(yearLast[4])];
  if (yearLast[2] === "." || a === b) return [year, b, a];
  const known = order ?? orderOf([text]);
  if (known === null) return "date_unclear";
  return known === "dmy" ? [year, b, a] : [year, a, b];
}

function readNamedMonth(text: string): Day | null {
  const dayFirst = DAY_MONTH.exec(text);
  const monthFirst = MONTH_DAY.exec(text);
  const [day, name, year] = dayFirst === null ? [monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]] : dayFirst.slice(1);
  const month = monthOf(name ?? "");
  return month === 0 ? null : [Number(year), month, Number(day)];
}

function monthOf(name: string): number {
  const small = name.toLowerCase();
  return 1 + Math.max(MONTHS.indexOf(small === "sept" ? "sep" : small), FULL_MONTHS.indexOf(small));
}

function toDate([year, month, day]: Day, ms: number): Date | "date_form" {
  const date = new Date(Date.UTC(year, month - 1, day));
  const same = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return same && year >= 2000 ? new Date(date.getTime() + ms) : "date_form";
}

/** The order of day and month in a file's dates; null if no date reveals it or they contradict each other. */
export function orderOf(cells: Iterable<string>): DateOrder | null {
  const found = new Set<DateOrder>();
  for (const cell of cells) {
    const match = YEAR_LAST.exec(dayOf(cell.trim()));
    if (match === null || match[2] === ".") continue;
    if (Number(match[1]) > 12) found.add("dmy");
    if (Number(match[3]) > 12) found.add("mdy");
  }
  return found.size === 1 ? ([...found][0] ?? null) : null;
}
