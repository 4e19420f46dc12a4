import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import { MAX_TOP_UP_MICROS, MIN_TOP_UP_MICROS } from "@farline/domain/business/top-up-limits.ts";
import { type Micros, parseDollars } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";

/** Price per minute used for the estimate: $0.02. */
const ESTIMATE_RATE_MICROS: Micros = 20_000n;

/** What a typed amount pays, or why it cannot be paid. */
export type TypedTopUp =
  | { readonly micros: Micros; readonly problem: null }
  | { readonly micros: null; readonly problem: "unreadable" | "too_little" | "too_much" };

/** A typed top-up of dollars and cents. An empty field is too little. */
export function readTopUp(typed: string): TypedTopUp {
  return withinBounds(typed.trim() === "" ? 0n : readDollars(typed));
}

/** A typed top-up of whole dollars. Cents make it unreadable, even zero cents. */
export function readWholeTopUp(typed: string): TypedTopUp {
  const plain = asciiDigits(typed).trim();
  return withinBounds(plain === "" ? 0n : /^\d+$/.test(plain) ? parseDollars(plain) : null);
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
