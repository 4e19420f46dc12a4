import { expect, test } from "vitest";
import { isSilenceForgiven, SILENCE_BUDGETS } from "./forgiven-silence.ts";

const NOTHING_YET = { hasPaid: true, toAccountMicros: 0n, forNumberMicros: 0n, inAllMicros: 0n };

test("silence is free only for callers who have paid", () => {
  expect(isSilenceForgiven(10_000n, NOTHING_YET)).toBe(true);
  expect(isSilenceForgiven(10_000n, { ...NOTHING_YET, hasPaid: false })).toBe(false);
});

test.each([
  ["account", "toAccountMicros", SILENCE_BUDGETS.perAccountMicros],
  ["called number", "forNumberMicros", SILENCE_BUDGETS.perNumberMicros],
  ["day, in all", "inAllMicros", SILENCE_BUDGETS.inAllMicros],
] as const)("silence is free within the budget of the %s, exact to the micro-dollar", (_of, counter, budget) => {
  expect(isSilenceForgiven(10_000n, { ...NOTHING_YET, [counter]: budget - 10_000n })).toBe(true);
  expect(isSilenceForgiven(10_001n, { ...NOTHING_YET, [counter]: budget - 10_000n })).toBe(false);
});

test("a day's free silence costs us less than any fraud with it would earn", () => {
  // A class A minute costs at most $0.15, so an account gets two of the longest silences a day.
  expect(SILENCE_BUDGETS).toEqual({ perAccountMicros: 300_000n, perNumberMicros: 300_000n, inAllMicros: 10_000_000n });
});
