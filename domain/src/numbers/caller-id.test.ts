import { expect, test } from "vitest";
import { mayBeCallerId } from "./caller-id.ts";
import { normalizeNumber } from "./phone-number.ts";

test.each([
  ["a mobile", "+447400123456", true],
  ["a landline", "+12025550143", true],
  ["a premium number", "+19005550100", false],
  ["a pay-per-call exchange", "+12129765555", false],
  ["a toll-free number", "+18005550100", false],
  ["a personal number", "+447010123456", false],
  ["a satellite phone", "+881612345678", false],
  ["a range known for fraud", "+5352123456", false],
  ["a number that is not in use", "+441199999999", false],
])("%s, %s, may be a caller id: %s", (_kind, typed, allowed) => {
  const number = normalizeNumber(typed, null);
  expect(number.ok && mayBeCallerId(number, null)).toBe(allowed);
});

test.each(["+1911", "112", "+44999"])("the emergency number %s is rejected as a number", (typed) => {
  expect(normalizeNumber(typed, "GB").ok).toBe(false);
});
