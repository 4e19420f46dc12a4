import { expect, test } from "vitest";
import { mayBeCallerId, isFictionalNumber } from "./caller-id.ts";
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

test.each([
  ["+12025550143", true],
  ["+12025550199", true],
  ["+12025550200", false],
  ["+12025551234", false],
  ["+442079460123", true],
  ["+447700900999", true],
  ["+447700901000", false],
  ["+442079470123", false],
  ["+4915112345678", false],
])("%s is reserved for fiction: %s", (number, fictional) => {
  expect(isFictionalNumber(number)).toBe(fictional);
});
