/** How measured values lie: the middle one, and the one that 99 of 100 stay below. Two decimals. */
export function spread(values: readonly number[]): { median: number; p99: number; max: number } {
  return { median: rank(values, 0.5), p99: rank(values, 0.99), max: rank(values, 1) };
}

/** The value that a part of the values (0 to 1) does not exceed. Two decimals; NaN of no values. */
export function rank(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
