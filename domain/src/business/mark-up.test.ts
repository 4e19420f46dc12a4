import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MARK_UP, retailPrice } from "./mark-up.ts";

test.each([
  [0n, 10_000n],
  [4_500n, 10_000n],
  [5_300n, 11_000n],
  [12_700n, 18_000n],
  [18_900n, 27_000n],
  [760_000n, 1_064_000n],
])("a cost of %s sells for %s", (cost, price) => {
  expect(retailPrice(cost, MARK_UP)).toBe(price);
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
