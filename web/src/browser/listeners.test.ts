import { expect, it, vi } from "vitest";
import { createListeners } from "./listeners.ts";

it("notifies listeners until they unsubscribe", () => {
  const { notify, subscribe } = createListeners();
  const reader = vi.fn<() => void>();
  const stop = subscribe(reader);
  notify();
  stop();
  notify();
  expect(reader).toHaveBeenCalledTimes(1);
});

it("goes on to the next listener if one fails, and reports the failure", () => {
  const reported = vi.fn<typeof reportError>();
  vi.stubGlobal("reportError", reported);
  const { notify, subscribe } = createListeners();
  const reader = vi.fn<() => void>();
  subscribe(() => {
    throw new Error("this reader is broken");
  });
  subscribe(reader);
  expect(notify).not.toThrow();
  expect(reader).toHaveBeenCalledTimes(1);
  expect(reported).toHaveBeenCalledWith(new Error("this reader is broken"));
  vi.unstubAllGlobals();
});
