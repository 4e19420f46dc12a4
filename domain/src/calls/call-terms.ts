import type { RiskLevel } from "../numbers/high-risk.ts";
import type { RiskTier } from "./risk-tier.ts";

/** What an account may call, by the class of the destination's price and by the account's tier. */

/** The longest possible call in seconds: the voice provider's maximum time limit. */
const PRODUCT_CAP_SECONDS = 14_400;

/** A: ordinary destinations; B: expensive ones and listed ranges; C: the most expensive. */
export type PriceClass = "A" | "B" | "C";

/** The highest price per minute of class A, in micro-dollars. */
export const CLASS_A_UP_TO_MICROS = 150_000n;
/** The highest price per minute of class B, in micro-dollars. */
const CLASS_B_UP_TO_MICROS = 600_000n;

interface CallTerms {
  /** The highest price per minute that the tier may call, in micro-dollars. */
  readonly maxRateMicros: bigint;
  /** The longest call by class, in minutes; null if the class is not open to the tier. */
  readonly minutes: Readonly<Record<PriceClass, number | null>>;
}

const CALL_TERMS: Readonly<Record<RiskTier, CallTerms>> = {
  unverified: { maxRateMicros: CLASS_A_UP_TO_MICROS, minutes: { A: 60, B: null, C: null } },
  new: { maxRateMicros: CLASS_B_UP_TO_MICROS, minutes: { A: 60, B: 20, C: null } },
  known: { maxRateMicros: 1_000_000n, minutes: { A: 120, B: 60, C: 15 } },
  trusted: { maxRateMicros: 2_500_000n, minutes: { A: 240, B: 120, C: 30 } },
};

/** Kinds of number that are never dialled, because they exist to charge callers. */
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

/** The class of a destination. High-risk ranges are never class A, however cheap. @param ratePerMinuteMicros what the customer pays */
export function priceClassOf(ratePerMinuteMicros: bigint, risk: RiskLevel | null): PriceClass {
  if (ratePerMinuteMicros > CLASS_B_UP_TO_MICROS) return "C";
  return ratePerMinuteMicros > CLASS_A_UP_TO_MICROS || risk === "high" || risk === "block" ? "B" : "A";
}

/** Whether numbers of this kind, or ranges of this risk, are never dialled. */
export function isBlockedDestination(numberType: string, risk: RiskLevel | null): boolean {
  return risk === "block" || BLOCKED_NUMBER_TYPES.has(numberType);
}

/**
 * The longest call of this tier at this price and risk, in seconds; at least the first increment. Null if the destination is not
 * open to the tier.
 */
export function longestCallOf(
  price: { readonly ratePerMinuteMicros: bigint; readonly firstIntervalSeconds: number },
  risk: RiskLevel | null,
  tier: RiskTier,
): number | null {
  const { maxRateMicros, minutes } = CALL_TERMS[tier];
  const longest = minutes[priceClassOf(price.ratePerMinuteMicros, risk)];
  if (longest === null || price.ratePerMinuteMicros > maxRateMicros) return null;
  return Math.min(PRODUCT_CAP_SECONDS, Math.max(longest * 60, price.firstIntervalSeconds));
}
