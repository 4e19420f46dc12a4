import { afterEach, beforeEach, vi } from "vitest";
import { memoryStorage } from "./memory-storage.ts";

/** For tests: a tab of a browser whose clock stands until it is told to run. */

const OPENED_AT = "2026-05-18T19:42:00.000Z";

/** Gives each test of a file a tab of its own, opened at the same moment. */
export function inScriptedTab(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse(OPENED_AT) });
    emptyStorage();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}

/** A tab in which nothing is remembered, of a browser that is new too. */
export function emptyStorage(): void {
  vi.stubGlobal("sessionStorage", memoryStorage());
  vi.stubGlobal("localStorage", memoryStorage());
}

/** Advances the clock and runs the timers that fall due. */
export function pass(ms: number): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(ms);
}
