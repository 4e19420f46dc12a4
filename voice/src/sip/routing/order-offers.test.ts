import { typicalCost } from "@farline/domain/rates/usual-price.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TrunkOffer } from "@farline/domain/rates/find-offers.ts";
import { trunkTo } from "../../../test/sip-bench.ts";
import type { TrunkConfig } from "../trunk.ts";
import { orderOffers } from "./order-offers.ts";

const rate = (micros: number, block = 1) => ({
  ratePerMinuteMicros: BigInt(micros),
  firstIntervalSeconds: block,
  nextIntervalSeconds: block,
});
const offer = (name: string, more: { priority?: number; weight?: number; micros?: number | null; covered?: number } = {}) => ({
  trunk: trunkTo(1, { name, priority: more.priority ?? 0, weight: more.weight ?? 0 }),
  cost: (more.micros ?? null) === null ? null : rate(more.micros ?? 0),
  covered: more.covered ?? 0,
});
const healthy = (): boolean => false;
const names = (offers: readonly TrunkOffer<TrunkConfig>[]): string[] => offers.map(({ trunk }) => trunk.name);

const offers = fc
  .array(
    fc.record({
      priority: fc.integer({ min: 0, max: 2 }),
      weight: fc.integer({ min: 0, max: 3 }),
      micros: fc.option(fc.integer({ min: 0, max: 3 })),
      covered: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((all) => all.map((one, index) => offer(`t${index}`, one)));
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("orderOffers", () => {
  it("returns every trunk once, ordered by health, priority, cost and prefix", () => {
    const rank = (one: TrunkOffer<TrunkConfig>, unhealthy: ReadonlySet<string>): (number | bigint)[] => [
      Number(unhealthy.has(one.trunk.name)),
      one.trunk.priority,
      one.cost === null ? Infinity : typicalCost(one.cost),
      -one.covered,
    ];
    fc.assert(
      fc.property(offers, fc.uniqueArray(fc.integer({ min: 0, max: 11 })), fc.infiniteStream(chance), (all, ill, chances) => {
        const unhealthy = new Set(ill.map((index) => `t${index}`));
        const ordered = orderOffers(
          all,
          (trunk) => unhealthy.has(trunk),
          () => chances.next().value,
        );
        expect(names(ordered).toSorted()).toEqual(names(all).toSorted());
        for (const [index, one] of ordered.entries()) {
          const before = ordered[index - 1];
          if (before !== undefined) expect(isAfter(rank(before, unhealthy), rank(one, unhealthy))).toBe(false);
        }
      }),
    );
  });

  it("puts equal trunks without a weight last, in file order", () => {
    const equals = [offer("a"), offer("b", { weight: 1 }), offer("c"), offer("d")];
    expect(names(orderOffers(equals, healthy, Math.random))).toEqual(["b", "a", "c", "d"]);
  });

  it("distributes calls among equal trunks in proportion to their weights", () => {
    const equals = [offer("one", { weight: 1 }), offer("three", { weight: 3 })];
    const random = seeded(20_261_124);
    const first = Array.from({ length: 20_000 }, () => names(orderOffers(equals, healthy, random))[0]);
    const share = first.filter((name) => name === "three").length / first.length;
    expect(share).toBeGreaterThan(0.73);
    expect(share).toBeLessThan(0.77);
  });

  it("compares the cost of typical calls with billing increments, not only the price per minute", () => {
    const byMinute = { ...offer("by the minute"), cost: rate(10_000, 60) };
    const bySecond = { ...offer("by the second"), cost: rate(10_200, 1) };
    expect(names(orderOffers([byMinute, bySecond], healthy, Math.random))).toEqual(["by the second", "by the minute"]);
  });
});

function isAfter(one: readonly (number | bigint)[], other: readonly (number | bigint)[]): boolean {
  for (const [index, value] of one.entries()) if (value !== other[index]) return value > (other[index] ?? 0);
  return false;
}

/** Park and Miller's generator, so that failures are reproducible. */
function seeded(seed: number): () => number {
  let state = seed % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state - 1) / 2_147_483_646;
  };
}
