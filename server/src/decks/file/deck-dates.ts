const YEAR_FIRST = /^(\d{4})([-/]?)(\d{2})\2(\d{2})$/;
const YEAR_LAST = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?Z?$/;
const AT_ONCE = /^(?:asap|immediately?|now)$/i;

/** Which of the first two numbers of `03/04/2026` is the day. */
export type DateOrder = "dmy" | "mdy";

/** From when a row holds: a time, `null` for at once, or that it can't be read or may mean two days. */
export type DeckDate = Date | null | "date_form" | "date_unclear";

/**
 * Reads a date of a deck, UTC: `2026-12-01`, `20261201`, `01.12.2026` or, by `order`, `12/01/2026`; each with a time or without;
 * `ASAP` or nothing for at once.
 * @param order null where neither the file nor the operator tells
 */
export function readDate(cell: string, order: DateOrder | null): DeckDate {
  const text = cell.trim();
  if (text === "" || AT_ONCE.test(text)) return null;
  const [day = "", time = "00:00", ...more] = text.split(/[T\s]+/);
  const clock = TIME.exec(time);
  if (more.length > 0 || clock === null) return "date_form";
  const parts = readDay(day, order);
  if (typeof parts === "string") return parts;
  const [hour, minute, second] = [clock[1], clock[2], clock[3] ?? "0"].map(Number) as [number, number, number];
  if (hour > 23 || minute > 59 || second > 59) return "date_form";
  return toDate(parts, (hour * 3_600 + minute * 60 + second) * 1_000);
}

type Day = readonly [year: number, month: number, day: number];

function readDay(text: string, order: DateOrder | null): Day | "date_form" | "date_unclear" {
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst !== null) return [Number(yearFirst[1]), Number(yearFirst[3]), Number(yearFirst[4])];
  const yearLast = YEAR_LAST.exec(text);
  if (yearLast === null) return "date_form";
  const [a, b, year] = [Number(yearLast[1]), Number(yearLast[3]), Number(yearLast[4])];
  if (yearLast[2] === "." || a === b) return [year, b, a];
  const known = order ?? orderOf([text]);
  if (known === null) return "date_unclear";
  return known === "dmy" ? [year, b, a] : [year, a, b];
}

function toDate([year, month, day]: Day, ms: number): Date | "date_form" {
  const date = new Date(Date.UTC(year, month - 1, day));
  const same = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return same && year >= 2000 ? new Date(date.getTime() + ms) : "date_form";
}

/** The order of day and month that the dates of a file show, or null when none has a part above 12, or they contradict each other. */
export function orderOf(cells: Iterable<string>): DateOrder | null {
  const found = new Set<DateOrder>();
  for (const cell of cells) {
    const match = YEAR_LAST.exec(cell.trim().split(/[T\s]/)[0] ?? "");
    if (match === null || match[2] === ".") continue;
    if (Number(match[1]) > 12) found.add("dmy");
    if (Number(match[3]) > 12) found.add("mdy");
  }
  return found.size === 1 ? ([...found][0] ?? null) : null;
}
