import { afterEach, beforeEach, vi } from "vitest";
import { memoryStorage } from "./memory-storage.ts";

/** For tests: a browser tab with a fake clock. */

const OPENED_AT = "2026-05-18T19:42:00.000Z";

/** A stream without a track. */
class SilentStream {
  readonly getTracks = () => [];
}

/** Gives each test of a file its own tab, opened at the same time. */
export function inScriptedTab(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse(OPENED_AT) });
    emptyStorage();
    vi.stubGlobal("MediaStream", SilentStream);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}

/** A tab with empty storage in a new browser. */
export function emptyStorage(): void {
  vi.stubGlobal("sessionStorage", memoryStorage());
  vi.stubGlobal("localStorage", memoryStorage());
}

/** Advances the clock and runs the timers that fall due. */
export function pass(ms: number): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(ms);
}
