import { expect, test } from "vitest";
import { exactAmount, signedAmount } from "./statement-amount.ts";

test("whole cents are written as cents, and what is finer loses nothing", () => {
  expect(exactAmount("24.60")).toBe("$24.60");
  expect(exactAmount("0.596401")).toBe("$0.596401");
  expect(exactAmount("-1.50")).toBe("\u2212$1.50");
  expect(signedAmount("4.00", "debit")).toBe("\u2212$4.00");
  expect(signedAmount("20.00", "credit")).toBe("+$20.00");
});
