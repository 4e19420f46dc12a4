import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { usualPrice, typicalCost } from "./usual-price.ts";

const price = (prefix: string, ratePerMinuteMicros: bigint) => ({ prefix, ratePerMinuteMicros });
const GHANA = [price("23324", 448_000n), price("23354", 448_000n), price("23356", 404_000n), price("233280", 390_000n)];
const NONE = new Map<string, number>();

describe("what most calls cost", () => {
  test("is the price of most numbers while too few were called, not the lowest", () => {
    expect(usualPrice(GHANA, NONE)).toBe(448_000n);
  });

  test("is the price of the numbers that were called, by the active deck, whatever prefix an older deck had", () => {
    expect(
      usualPrice(
        GHANA,
        new Map([
          ["2335612", 70],
          ["23324", 30],
        ]),
      ),
    ).toBe(404_000n);
    expect(
      usualPrice(
        GHANA,
        new Map([
          ["23324", 40],
          ["23354", 20],
          ["23356", 50],
        ]),
      ),
    ).toBe(448_000n);
  });

  test("does not count numbers of longer prefixes for the shorter one", () => {
    const nine = Array.from({ length: 9 }, (_, digit) => price(`49${digit}`, 20_000n));
    expect(usualPrice([price("49", 90_000n), ...nine], NONE)).toBe(20_000n);
  });

  test("is the higher of two equal ones, and nothing without prices", () => {
    expect(usualPrice([price("331", 10n), price("332", 30n), price("333", 20n)], NONE)).toBe(30n);
    expect(usualPrice([], new Map([["33", 5]]))).toBeNull();
    expect(usualPrice(GHANA, new Map([["44", 500]]))).toBe(448_000n);
  });

  property.prop([
    fc.uniqueArray(fc.record({ prefix: fc.stringMatching(/^[1-9]\d{0,5}$/), ratePerMinuteMicros: fc.bigInt(1n, 5n) }), {
      minLength: 1,
      selector: (one) => one.prefix,
    }),
  ])("is one of the prices, in whatever order they come", (prices) => {
    const usual = usualPrice(prices, NONE);
    expect(prices.map((one) => one.ratePerMinuteMicros)).toContain(usual);
    expect(usualPrice(prices.toReversed(), NONE)).toBe(usual);
  });
});

const rate = (ratePerMinuteMicros: bigint, firstIntervalSeconds: number, nextIntervalSeconds: number) => ({
  ratePerMinuteMicros,
  firstIntervalSeconds,
  nextIntervalSeconds,
});

test("a lower price per minute may have a higher typical cost, because of its increments", () => {
  expect(typicalCost(rate(10_000n, 60, 60))).toBeGreaterThan(typicalCost(rate(10_200n, 1, 1)));
  expect(typicalCost(rate(10_000n, 60, 60))).toBeLessThan(typicalCost(rate(11_000n, 1, 1)));
  expect(typicalCost(rate(10_000n, 1, 1))).toBeLessThan(typicalCost(rate(10_001n, 1, 1)));
});
