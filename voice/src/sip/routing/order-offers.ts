import { typicalCost } from "@farline/domain/rates/usual-price.ts";
import type { TrunkOffer } from "@farline/domain/rates/find-offers.ts";
import type { TrunkConfig } from "../trunk.ts";

/**
 * Orders trunks by health, priority, cost (unknown last) and prefix length, then at random in proportion to their weights. Trunks
 * without a weight follow in their original order.
 * @param random in [0, 1)
 */
export function orderOffers(
  offers: readonly TrunkOffer<TrunkConfig>[],
  isUnhealthy: (trunk: string) => boolean,
  random: () => number,
): TrunkOffer<TrunkConfig>[] {
  return offers
    .map((offer) => ({
      offer,
      unhealthy: isUnhealthy(offer.trunk.name),
      cost: costOf(offer),
      rank: randomRank(offer.trunk.weight, random),
    }))
    .toSorted(
      (a, b) =>
        Number(a.unhealthy) - Number(b.unhealthy) ||
        a.offer.trunk.priority - b.offer.trunk.priority ||
        compare(a.cost, b.cost) ||
        b.offer.covered - a.offer.covered ||
        compare(a.rank, b.rank),
    )
    .map(({ offer }) => offer);
}

function costOf({ cost }: TrunkOffer<TrunkConfig>): bigint | number {
  return cost === null ? Infinity : typicalCost(cost);
}

/** An exponential random variable with the weight as its rate: each trunk's is the smallest in proportion to its weight. */
function randomRank(weight: number, random: () => number): number {
  return weight === 0 ? Infinity : -Math.log(1 - random()) / weight;
}

function compare(a: bigint | number, b: bigint | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
