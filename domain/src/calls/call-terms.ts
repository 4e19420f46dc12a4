import type { RiskLevel } from "../numbers/high-risk.ts";
import type { RiskTier } from "./risk-tier.ts";

/** What an account may call, as data: by the class of the destination's price and by how well the account is known. */

/** The longest possible call in seconds: the voice provider's maximum time limit. */
const PRODUCT_CAP_SECONDS = 14_400;

/** A: ordinary destinations; B: expensive ones and listed ranges; C: the most expensive. */
export type PriceClass = "A" | "B" | "C";

/** The highest price per minute of class A, in micro-dollars. */
export const CLASS_A_UP_TO_MICROS = 150_000n;
/** The highest price per minute of class B, in micro-dollars. */
export const CLASS_B_UP_TO_MICROS = 600_000n;

interface CallTerms {
  /** The highest price per minute that is sold at all, in micro-dollars. */
  readonly dearestMicros: bigint;
  /** The longest call by class, in minutes; null: not open. */
  readonly minutes: Readonly<Record<PriceClass, number | null>>;
}

const CALL_TERMS: Readonly<Record<RiskTier, CallTerms>> = {
  unverified: { dearestMicros: CLASS_A_UP_TO_MICROS, minutes: { A: 60, B: null, C: null } },
  new: { dearestMicros: CLASS_B_UP_TO_MICROS, minutes: { A: 60, B: 20, C: null } },
  known: { dearestMicros: 1_000_000n, minutes: { A: 120, B: 60, C: 15 } },
  trusted: { dearestMicros: 2_500_000n, minutes: { A: 240, B: 120, C: 30 } },
};

/** Kinds of number that are never dialled: they exist to take callers' money. */
const BLOCKED_NUMBER_TYPES: ReadonlySet<string> = new Set([
  "premium",
  "shared_cost",
  "uan",
  "pager",
  "voicemail",
  "personal",
  "satellite",
  "international_network",
]);

/** The class of a destination. A range of high risk is never ordinary, however cheap. @param ratePerMinuteMicros what the customer pays */
export function priceClassOf(ratePerMinuteMicros: bigint, risk: RiskLevel | null): PriceClass {
  if (ratePerMinuteMicros > CLASS_B_UP_TO_MICROS) return "C";
  return ratePerMinuteMicros > CLASS_A_UP_TO_MICROS || risk === "high" || risk === "block" ? "B" : "A";
}

/** Whether numbers of this kind, or ranges of this risk, are never dialled. */
export function isBlockedDestination(numberType: string, risk: RiskLevel | null): boolean {
  return risk === "block" || BLOCKED_NUMBER_TYPES.has(numberType);
}

/**
 * The longest call of a customer of this tier at this price and risk, in seconds; at least its first increment. Null when
 * the destination is not open to the tier.
 */
export function longestCallOf(
  price: { readonly ratePerMinuteMicros: bigint; readonly firstIntervalSeconds: number },
  risk: RiskLevel | null,
  tier: RiskTier,
): number | null {
  const { dearestMicros, minutes } = CALL_TERMS[tier];
  const longest = minutes[priceClassOf(price.ratePerMinuteMicros, risk)];
  if (longest === null || price.ratePerMinuteMicros > dearestMicros) return null;
  return Math.min(PRODUCT_CAP_SECONDS, Math.max(longest * 60, price.firstIntervalSeconds));
}
