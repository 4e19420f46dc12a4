import type { CreditPackage } from "@farline/contract/billing.ts";
import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import { MAX_TOP_UP_MICROS, MIN_TOP_UP_MICROS } from "@farline/domain/business/top-up-limits.ts";
import { type Micros, parseDollars } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";

/** Price per minute used for the estimate: $0.02. */
const ESTIMATE_RATE_MICROS: Micros = 20_000n;

/** What a typed amount pays, or why it cannot be paid. */
type TypedTopUp =
  | { readonly micros: Micros; readonly problem: null }
  | { readonly micros: null; readonly problem: "unreadable" | "too_little" | "too_much" };

/** A typed top-up. An empty field is too little. */
export function readTopUp(typed: string): TypedTopUp {
  return withinBounds(typed.trim() === "" ? 0n : readDollars(typed));
}

/** Invisible marks and spaces around an amount, and a currency sign before it. */
const AROUND = /^[\s\p{Cf}\p{Sc}]+|[\s\p{Cf}]+$/gu;
/** Longest typed amount of whole dollars: "1000000". */
const MAX_WHOLE_DIGITS = 7;

/**
 * The whole dollars of a typed or pasted text: stops at the first character that is not a digit, so that cents
 * never become dollars. `null` for too many digits.
 */
export function wholeDollars(typed: string): { readonly text: string; readonly cut: boolean } | null {
  const plain = asciiDigits(typed).replace(AROUND, "");
  const text = /^\d*/.exec(plain)?.[0] ?? "";
  return text.length > MAX_WHOLE_DIGITS ? null : { text, cut: text !== plain };
}

function withinBounds(micros: Micros | null): TypedTopUp {
  if (micros === null) return { micros: null, problem: "unreadable" };
  if (micros < MIN_TOP_UP_MICROS) return { micros: null, problem: "too_little" };
  if (micros > MAX_TOP_UP_MICROS) return { micros: null, problem: "too_much" };
  return { micros, problem: null };
}

/** Minutes for the estimate line: credit / $0.02, rounded down. */
export function estimatedMinutes(creditMicros: Micros): number {
  return Number(creditMicros / ESTIMATE_RATE_MICROS);
}

/** The package that gives the most credit for at most `pays`; undefined if none gives more than the amount itself. */
export function betterPackage(packages: readonly CreditPackage[], pays: Micros): CreditPackage | undefined {
  return packages
    .filter((offer) => micros(offer.amount) <= pays && micros(offer.total_credits) > pays)
    .toSorted((a, b) => b.total_credits - a.total_credits || a.amount - b.amount)[0];
}

function micros(dollars: number): Micros {
  return parseDollars(dollars) ?? 0n;
}
