import type { Micros } from "@farline/domain/money.ts";

const MICROS_PER_CENT = 10_000n;

/** The payment provider counts in cents. */
export function fromCents(cents: number): Micros {
  return BigInt(cents) * MICROS_PER_CENT;
}

/** @param micros whole cents; anything finer would be lost and is refused with a RangeError */
export function toCents(micros: Micros): number {
  if (micros % MICROS_PER_CENT !== 0n) throw new RangeError("Not a whole number of cents.");
  return Number(micros / MICROS_PER_CENT);
}
