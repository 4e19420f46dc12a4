import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { settleWithin } from "./durations.ts";

const LIMIT_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount(), "timers left").toBe(0);
  vi.useRealTimers();
});

/** Settles after the given time. */
const after = (ms: number, settle: () => string): Promise<string> =>
  new Promise((resolve) => setTimeout(resolve, ms)).then(settle);
const fail = (message: string) => (): never => {
  throw new Error(message);
};

test("a result within the limit is returned, and the timer is cleared at once", async () => {
  const settled = settleWithin(Promise.resolve("result"), LIMIT_MS, () => "late");
  expect(vi.getTimerCount()).toBe(1);
  expect(await settled).toBe("result");
});

test("a failure within the limit is passed on, and the timer is cleared at once", async () => {
  await expect(settleWithin(Promise.reject(new Error("failed")), LIMIT_MS, () => "late")).rejects.toThrow("failed");
});

test.each([
  ["result", () => "result"],
  ["failure", fail("failed")],
])("a %s after the limit is ignored: the late value is returned", async (_outcome, settle) => {
  const settled = settleWithin(after(LIMIT_MS + 1, settle), LIMIT_MS, () => "late");
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(await settled).toBe("late");
  await vi.runAllTimersAsync();
});

test.each([
  ["throws", fail("too late")],
  ["rejects", () => Promise.reject(new Error("too late"))],
])("the promise is rejected after the limit if the late value %s", async (_how, late) => {
  const never = new Promise<string>(() => undefined);
  const outcome = settleWithin(never, LIMIT_MS, late).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(await outcome).toBe("too late");
});
