import type { Micros } from "@farline/domain/money.ts";

const MICROS_PER_CENT = 10_000n;

/** Converts the payment provider's cents. */
export function fromCents(cents: number): Micros {
  return BigInt(cents) * MICROS_PER_CENT;
}

/** Converts to cents. @throws RangeError for fractions of a cent, which would be lost */
export function toCents(micros: Micros): number {
  if (micros % MICROS_PER_CENT !== 0n) throw new RangeError("Not a whole number of cents.");
  return Number(micros / MICROS_PER_CENT);
}
