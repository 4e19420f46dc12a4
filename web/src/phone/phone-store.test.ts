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
  const report = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => undefined);
  const value = createObservable(1);
  const reader = vi.fn<() => void>();
  value.subscribe(() => {
    throw new Error("this reader is broken");
  });
  value.subscribe(reader);
  expect(() => value.set(2)).not.toThrow();
  expect(reader).toHaveBeenCalledTimes(1);
  expect(report.mock.calls[0]?.[0]).toThrow("this reader is broken");
  report.mockRestore();
});
