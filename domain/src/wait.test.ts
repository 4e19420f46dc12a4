import { expect, test } from "vitest";
import { waitOf } from "./durations.ts";

test.each([
  [0, "seconds", 1],
  [0.2, "seconds", 1],
  [90, "seconds", 90],
  [91, "minutes", 2],
  [720, "minutes", 12],
  [5_400, "minutes", 90],
  [5_401, "hours", 2],
  [86_400, "hours", 24],
])("%f seconds are shown in %s: %i", (seconds, unit, count) => {
  expect(waitOf(seconds)).toEqual({ unit, count });
});
