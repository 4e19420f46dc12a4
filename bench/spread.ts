/** How measured values lie: the middle one, and the one that 99 of 100 stay below. Two decimals. */
export function spread(values: readonly number[]): { median: number; p99: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
  return { median: at(0.5), p99: at(0.99), max: at(1) };
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
