import { expect, it, vi } from "vitest";
import { createObservable } from "./phone-store.ts";

it("notifies listeners of changes only, until they unsubscribe", () => {
  const value = createObservable(1);
  const reader = vi.fn<() => void>();
  const stop = value.subscribe(reader);
  value.set(2);
  value.set(2);
  stop();
  value.set(3);
  expect(reader).toHaveBeenCalledTimes(1);
  expect(value.get()).toBe(3);
});

it("continues if a listener fails, and reports the failure", () => {
  const reported = vi.fn<typeof reportError>();
  vi.stubGlobal("reportError", reported);
  const value = createObservable(1);
  const reader = vi.fn<() => void>();
  value.subscribe(() => {
    throw new Error("this reader is broken");
  });
  value.subscribe(reader);
  expect(() => value.set(2)).not.toThrow();
  expect(reader).toHaveBeenCalledTimes(1);
  expect(reported).toHaveBeenCalledWith(new Error("this reader is broken"));
  vi.unstubAllGlobals();
});
