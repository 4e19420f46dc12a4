import { formatDollars, fromDecimalString, MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

const MICROS_PER_CENT = 10_000n;

/** A price per minute as pages show it, 4 decimals: "$0.0210". */
export function priceText(ratePerMinute: string): string {
  return `$${formatDollars(fromDecimalString(ratePerMinute), 4)}`;
}

/** Whole minutes that one dollar buys, rounded down; null when that is none, or when the rate is 0. */
export function minutesForOneDollar(ratePerMinute: string): number | null {
  const rate = fromDecimalString(ratePerMinute);
  return rate === 0n || rate > MICROS_PER_DOLLAR ? null : Number(MICROS_PER_DOLLAR / rate);
}

/** Rate times minutes to the nearest cent: "$0.21". What costs something is never shown as nothing: at least "$0.01". */
export function estimateText(ratePerMinute: string, minutes: number): string {
  const exact = fromDecimalString(ratePerMinute) * BigInt(minutes);
  const cents = (exact + MICROS_PER_CENT / 2n) / MICROS_PER_CENT;
  return `$${formatDollars((cents === 0n && exact > 0n ? 1n : cents) * MICROS_PER_CENT)}`;
}
