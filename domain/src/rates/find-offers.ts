import type { BillingRate } from "../calls/charge.ts";
import { keepsMargin } from "./sale-terms.ts";

/** What decides whether a trunk may carry a call. */
export interface PricedTrunk {
  readonly name: string;
  /** E.164 prefixes that it serves, with or without "+"; absent or empty: all. */
  readonly prefixes?: readonly string[] | undefined;
  /** The carrier's rate for calls without a price list. */
  readonly cost?: BillingRate | undefined;
}

/** Prices that decide which trunks may carry a call. */
export interface CallPrices {
  /** What the customer pays. Trunks without a margin are excluded. */
  readonly sale: BillingRate;
  /** The rates of trunks with a price list, by name; null if the list does not contain the number. */
  readonly costs: ReadonlyMap<string, BillingRate | null>;
}

export interface TrunkOffer<Trunk extends PricedTrunk> {
  readonly trunk: Trunk;
  /** Null if unknown. */
  readonly cost: BillingRate | null;
  /** Digits of the number that its longest matching prefix covers. */
  readonly covered: number;
}

/** Why a trunk that serves the number may not carry the call. */
type OfferProblem = "not_in_price_list" | "costs_too_much";

interface TrunkProblem {
  readonly trunk: string;
  readonly problem: OfferProblem;
}

/** The trunks that may carry a call, in the given order, and those that serve its number but may not. */
export function findOffers<Trunk extends PricedTrunk>(
  trunks: readonly Trunk[],
  { to, prices }: { readonly to: string; readonly prices?: CallPrices | undefined },
): { offers: TrunkOffer<Trunk>[]; problems: TrunkProblem[] } {
  const offers: TrunkOffer<Trunk>[] = [];
  const problems: TrunkProblem[] = [];
  for (const trunk of trunks) {
    const covered = coverage(trunk.prefixes, to);
    if (covered === null) continue;
    const listed = prices?.costs.get(trunk.name);
    const cost = listed === undefined ? (trunk.cost ?? null) : listed;
    if (listed === null) problems.push({ trunk: trunk.name, problem: "not_in_price_list" });
    else if (prices !== undefined && cost !== null && !keepsMargin(prices.sale, cost))
      problems.push({ trunk: trunk.name, problem: "costs_too_much" });
    else offers.push({ trunk, cost, covered });
  }
  return { offers, problems };
}

/** Digits covered by the longest matching prefix; null if none matches. */
function coverage(prefixes: readonly string[] | undefined, number: string): number | null {
  if (prefixes === undefined || prefixes.length === 0) return 0;
  const digits = number.replace(/^\+/, "");
  const matching = prefixes.map((prefix) => prefix.replace(/^\+/, "")).filter((prefix) => digits.startsWith(prefix));
  return matching.length === 0 ? null : Math.max(...matching.map((prefix) => prefix.length));
}
