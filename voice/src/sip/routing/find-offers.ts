import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import type { DialRequest, TrunkConfig } from "../trunk.ts";

export interface TrunkOffer {
  readonly trunk: TrunkConfig;
  /** Null if unknown. */
  readonly cost: BillingRate | null;
  /** Digits of the number that its longest matching prefix covers. */
  readonly covered: number;
}

/** Why a trunk that serves the number may not carry the call. */
export type OfferProblem = "not_in_price_list" | "costs_too_much";

export type WantedRoute = Pick<DialRequest, "to" | "codec" | "prices">;

/** The trunks that may carry a call, in file order, and those that serve its number but may not. */
export function findOffers(
  trunks: readonly TrunkConfig[],
  { to, codec, prices }: WantedRoute,
): { offers: TrunkOffer[]; problems: { trunk: string; problem: OfferProblem }[] } {
  const offers: TrunkOffer[] = [];
  const problems: { trunk: string; problem: OfferProblem }[] = [];
  for (const trunk of trunks) {
    const covered = coverage(trunk.prefixes, to);
    if (covered === null || (codec === "opus" && !trunk.opus)) continue;
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
