import { expect, test } from "vitest";
import { riskOf } from "./high-risk.ts";

test.each([
  ["+881612345678", "XG", "block"],
  ["+19005551234", "US", "block"],
  ["+12129765678", "US", "block"],
  ["+447012345678", "GB", "block"],
  ["+5355512345", "CU", "high"],
  ["+971501234567", "AE", "watch"],
])("the number %s (%s) has risk level %s", (e164, country, level) => {
  expect(riskOf(e164, country)?.level).toBe(level);
  expect(riskOf(e164, country)?.reason).not.toBe("");
});

test("an ordinary number in an ordinary country has no risk", () => {
  for (const [e164, country] of [
    ["+33612345678", "FR"],
    ["+12129555678", "US"],
    ["+919876543210", "IN"],
  ] as const)
    expect(riskOf(e164, country)).toBeNull();
});
