import { expect, test } from "vitest";
import { countText } from "./count-text.ts";

test("a number of things agrees with its noun", () => {
  expect([0, 1, 2, 2_000].map((count) => countText(count, "kept payment"))).toEqual([
    ...["0 kept payments", "1 kept payment", "2 kept payments", "2,000 kept payments"],
  ]);
  expect([1, 2].map((count) => countText(count, "call is", "calls are"))).toEqual(["1 call is", "2 calls are"]);
});
