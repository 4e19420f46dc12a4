import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MARK_UP, retailPrice, ruleOfPrice } from "./mark-up.ts";

test.each([
  [0n, 10_000n, "min_price"],
  [4_500n, 10_000n, "min_price"],
  [5_300n, 11_000n, "min_margin"],
  [12_700n, 18_000n, "percent"],
  [18_900n, 27_000n, "percent"],
  [760_000n, 1_064_000n, "percent"],
] as const)("a cost of %s sells for %s by %s", (cost, price, rule) => {
  expect([retailPrice(cost, MARK_UP), ruleOfPrice(cost, MARK_UP)]).toEqual([price, rule]);
});

test("a retail price covers the cost plus the margin and is a multiple of a tenth of a cent", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 20_000_000n }), (cost) => {
      const price = retailPrice(cost, MARK_UP);
      expect(price * 10n).toBeGreaterThanOrEqual(cost * 14n);
      expect(price).toBeGreaterThanOrEqual(cost + 5_000n);
      expect(price % 1_000n).toBe(0n);
    }),
  );
});
