import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import { MICROS_PER_DOLLAR, type Micros, parseDollars } from "@farline/domain/money.ts";

/** Minimum top-up. The service enforces it. */
const MIN_TOP_UP_MICROS: Micros = 5n * MICROS_PER_DOLLAR;
/** Price per minute used for the estimate: $0.02. */
const ESTIMATE_RATE_MICROS: Micros = 20_000n;
/** Longest typed amount: "1000000". */
const MAX_WHOLE_DIGITS = 7;

/** A typed amount that is enough for a top-up, or null. */
export function topUpAmount(typed: string): Micros | null {
  const micros = parseDollars(typed);
  return micros === null || micros < MIN_TOP_UP_MICROS ? null : micros;
}

/** Minutes for the estimate line: credit / $0.02, rounded down. */
export function estimatedMinutes(creditMicros: Micros): number {
  return Number(creditMicros / ESTIMATE_RATE_MICROS);
}

/** Invisible marks and spaces around an amount, and a currency sign before it. */
const AROUND = /^[\s\p{Cf}\p{Sc}]+|[\s\p{Cf}]+$/gu;

/**
 * The whole dollars of a typed or pasted text: stops at the first character that is not a digit, so that cents
 * never become dollars. `null` for too many digits.
 */
export function wholeDollars(typed: string): { readonly text: string; readonly cut: boolean } | null {
  const plain = asciiDigits(typed).replace(AROUND, "");
  const text = /^\d*/.exec(plain)?.[0] ?? "";
  return text.length > MAX_WHOLE_DIGITS ? null : { text, cut: text !== plain };
}
