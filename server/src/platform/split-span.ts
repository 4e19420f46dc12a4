import { HOUR_MS } from "@farline/domain/durations.ts";
/** With more changed hours apart from each other, no sums are read. */
const MAX_PARTS = 20;

/** Half open. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** The hours that are summed, but for those in which something has changed since. */
interface SummedHours extends Span {
  readonly changed: readonly Date[];
}

/** How to read a span: whole hours by their sums, but for some, and the rest row by row. */
export interface SpanParts {
  readonly summed: SummedHours;
  readonly rest: readonly Span[];
}

/** Splits a span into what is summed and what is not. */
export function splitSpan(span: Span, hours: SummedHours): SpanParts {
  const from = ceilHour(Math.max(span.from.getTime(), hours.from.getTime()));
  const to = floorHour(Math.min(span.to.getTime(), hours.to.getTime()));
  const changed = hours.changed.map((hour) => hour.getTime()).filter((hour) => hour >= from && hour < to);
  if (from >= to) return { summed: { from: span.from, to: span.from, changed: [] }, rest: [span] };
  const parts = merged([
    [span.from.getTime(), from],
    ...changed.toSorted((a, b) => a - b).map((hour): Part => [hour, hour + HOUR_MS]),
    [to, span.to.getTime()],
  ]);
  if (parts.length > MAX_PARTS) return { summed: { from: span.from, to: span.from, changed: [] }, rest: [span] };
  return {
    summed: { from: new Date(from), to: new Date(to), changed: changed.map((hour) => new Date(hour)) },
    rest: parts.map(([start, end]) => ({ from: new Date(start), to: new Date(end) })),
  };
}

type Part = readonly [from: number, to: number];

/** Joins parts that touch, and leaves out empty ones. @param parts in order */
function merged(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const [from, to] of parts) {
    if (from >= to) continue;
    const last = joined.at(-1);
    if (last !== undefined && last[1] >= from) joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}

export function floorHour(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}

function ceilHour(time: number): number {
  return Math.ceil(time / HOUR_MS) * HOUR_MS;
}
