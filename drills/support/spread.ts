interface Spread {
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

/** The median, the 99th percentile and the maximum, with two decimals. */
export function spread(values: readonly number[]): Spread {
  return { median: rank(values, 0.5), p99: rank(values, 0.99), max: rank(values, 1) };
}

/** How long the work took for each value, one after the other: in milliseconds. */
export async function timed<Value>(values: Iterable<Value>, work: (value: Value) => Promise<unknown>): Promise<Spread> {
  const took: number[] = [];
  for (const value of values) {
    const began = performance.now();
    await work(value);
    took.push(performance.now() - began);
  }
  return spread(took);
}

/** The quantile `part` (0 to 1) of the values, with two decimals. NaN without values. */
export function rank(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
