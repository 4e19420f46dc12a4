import { typicalCost } from "@farline/domain/rates/typical-cost.ts";
import type { TrunkOffer } from "./find-offers.ts";

/**
 * The order in which trunks are tried: healthy ones, lower priority, lower cost (unknown ones last), longer prefix, then by lot in
 * proportion to their weights. Trunks without a weight follow in the order in which they came.
 * @param isUnhealthy whether a trunk is only worth trying when no other is left
 * @param random at least 0 and below 1
 */
export function orderOffers(
  offers: readonly TrunkOffer[],
  isUnhealthy: (trunk: string) => boolean,
  random: () => number,
): TrunkOffer[] {
  return offers
    .map((offer) => ({
      offer,
      sick: isUnhealthy(offer.trunk.name),
      cost: costOf(offer),
      turn: turnOf(offer.trunk.weight, random),
    }))
    .toSorted(
      (a, b) =>
        Number(a.sick) - Number(b.sick) ||
        a.offer.trunk.priority - b.offer.trunk.priority ||
        compare(a.cost, b.cost) ||
        b.offer.covered - a.offer.covered ||
        compare(a.turn, b.turn),
    )
    .map(({ offer }) => offer);
}

function costOf({ cost }: TrunkOffer): bigint | number {
  return cost === null ? Infinity : typicalCost(cost);
}

/** The first of exponential times at the rates of the weights falls to each in proportion to its weight. */
function turnOf(weight: number, random: () => number): number {
  return weight === 0 ? Infinity : -Math.log(1 - random()) / weight;
}

function compare(a: bigint | number, b: bigint | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
