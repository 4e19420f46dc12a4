export const DAY_SECONDS = 24 * 60 * 60;
export const DAY_MS = DAY_SECONDS * 1000;

/** The value within its bounds; the upper one if it is no number. */
export function between(least: number, value: number, most: number): number {
  return Number.isNaN(value) ? most : Math.min(most, Math.max(least, value));
}
