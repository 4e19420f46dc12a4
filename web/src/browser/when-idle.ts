import { after } from "../time/timers.ts";

/** Resolves when the browser is idle, at the latest after `limitMs`. For deferrable tasks. */
export function whenIdle(limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no requestIdleCallback.
    if (typeof requestIdleCallback === "undefined") after(limitMs, resolve);
    else requestIdleCallback(() => resolve(), { timeout: limitMs });
  });
}
