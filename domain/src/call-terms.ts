import type { RiskLevel } from "./high-risk.ts";

/** What an account may call, as data. Every account counts as new: the lowest tier of the risk rules. */

/** The longest call of all, in seconds: what the voice provider's time limit takes at most. */
const PRODUCT_CAP_SECONDS = 14_400;

interface PriceClass {
  readonly name: "A" | "B";
  /** Price per minute, in micro-dollars. */
  readonly upToMicros: bigint;
  readonly capSeconds: number;
}

/** Price classes, cheapest first. Dearer destinations are not open to new accounts. */
const PRICE_CLASSES: readonly PriceClass[] = [
  { name: "A", upToMicros: 150_000n, capSeconds: 60 * 60 },
  { name: "B", upToMicros: 600_000n, capSeconds: 20 * 60 },
];
const HIGH_RISK_CLASS = "B";

/** Kinds of number that are never dialled: they exist to take money from whoever calls. */
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

/** Whether this price and risk are those of an ordinary destination: what credit may pay for that nobody paid for. */
export function isOrdinaryPrice(ratePerMinuteMicros: bigint, risk: RiskLevel | null): boolean {
  const [ordinary] = PRICE_CLASSES;
  return risk !== "high" && risk !== "block" && ordinary !== undefined && ratePerMinuteMicros <= ordinary.upToMicros;
}

/** Whether numbers of this kind, or ranges of this risk, are never dialled. */
export function isBlockedDestination(numberType: string, risk: RiskLevel | null): boolean {
  return risk === "block" || BLOCKED_NUMBER_TYPES.has(numberType);
}

/**
 * The longest call at this price and risk, in seconds; at least its first increment. Null when the destination is not
 * open to new accounts.
 */
export function longestCallOf(
  price: { readonly ratePerMinuteMicros: bigint; readonly firstIntervalSeconds: number },
  risk: RiskLevel | null,
): number | null {
  const classes = risk === "high" ? PRICE_CLASSES.filter((one) => one.name === HIGH_RISK_CLASS) : PRICE_CLASSES;
  const found = classes.find((one) => price.ratePerMinuteMicros <= one.upToMicros);
  if (found === undefined) return null;
  return Math.min(PRODUCT_CAP_SECONDS, Math.max(found.capSeconds, price.firstIntervalSeconds));
}
