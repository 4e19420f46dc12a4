import { expect, test } from "vitest";
import { anySignal } from "../time/timers.ts";

test("aborts with the first of its signals, and with its reason", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const either = anySignal(one.signal, other.signal);
  expect(either.aborted).toBe(false);
  other.abort("late");
  one.abort("cancelled");
  expect(either.reason).toBe("late");
});

test("is aborted from the beginning where one of them is", () => {
  expect(anySignal(new AbortController().signal, AbortSignal.abort("gone")).reason).toBe("gone");
});
