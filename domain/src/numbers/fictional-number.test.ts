import { expect, test } from "vitest";
import { isFictionalNumber } from "./fictional-number.ts";

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
