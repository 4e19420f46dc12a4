import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { expect, test } from "vitest";
import { betterPackage } from "./better-package.ts";

const offer = (amount: number, credit: number) => ({
  id: `p${amount}`,
  amount,
  total_credits: credit,
  is_popular: false,
  bonus_percentage: 0,
});
const packages = [offer(5, 5), offer(20, 21), offer(50, 55), offer(100, 110)];

test.each([
  [5, undefined],
  [20, "p20"],
  [21, undefined],
  [49, undefined],
  [51, "p50"],
  [54, "p50"],
  [55, undefined],
  [105, "p100"],
])("of $%i the better package is %s", (dollars, id) => {
  expect(betterPackage(packages, BigInt(dollars) * MICROS_PER_DOLLAR)?.id).toBe(id);
});
