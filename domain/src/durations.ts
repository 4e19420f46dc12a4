const MINUTE = 60;

const HOUR = 60 * MINUTE;

export const DAY_SECONDS = 24 * HOUR;

export const MINUTE_MS = MINUTE * 1000;

export const HOUR_MS = HOUR * 1000;

export const DAY_MS = DAY_SECONDS * 1000;

/** Up to this count the smaller unit is used: "90 seconds", "90 minutes". */
const MAX_COUNT = 90;

/** A waiting time, rounded up to a unit. */
export interface Wait {
  readonly unit: "seconds" | "minutes" | "hours";
  readonly count: number;
}

/** The value within its bounds; the upper one if it is no number. */
export function between(least: number, value: number, most: number): number {
  return Number.isNaN(value) ? most : Math.min(most, Math.max(least, value));
}

export function waitOf(seconds: number): Wait {
  if (seconds <= MAX_COUNT) return { unit: "seconds", count: Math.max(1, Math.ceil(seconds)) };
  if (seconds <= MAX_COUNT * MINUTE) return { unit: "minutes", count: Math.ceil(seconds / MINUTE) };
  return { unit: "hours", count: Math.ceil(seconds / HOUR) };
}

/** The promise's outcome, or that of `late` if it takes longer than the limit. A later outcome is ignored. */
export function settleWithin<Result, Late>(
  promise: Promise<Result>,
  limitMs: number,
  late: () => Late | Promise<Late>,
): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  return Promise.race([promise, limit.then(late)]).finally(() => clearTimeout(timer));
}
