import { onPageBack } from "../browser/page-life.ts";
import { every } from "./timers.ts";

const LOOK_EVERY_MS = 1000;
/** A look this early or late by either clock means that the machine slept, the browser froze the page or the device's clock was set. */
const JUMP_MS = 5000;

/**
 * Calls `listener` when a clock jumped: what this page knows may be outdated. In sleep `performance.now()` stops in some browsers, and only
 * the device's clock shows it. Returns the stop function.
 */
export function onClockJump(listener: () => void): () => void {
  let seen = readClocks();
  return every(LOOK_EVERY_MS, () => {
    const clocks = readClocks();
    const jumped = clocks.some((now, index) => Math.abs(now - (seen[index] ?? now)) > JUMP_MS);
    seen = clocks;
    if (jumped) listener();
  });
}

/**
 * Calls `listener` when this page resumes: a clock jumped, the network is back or changed, the page became visible, or the browser had
 * kept or frozen it.
 */
export function onWake(listener: () => void): void {
  if (typeof window === "undefined") return;
  onClockJump(listener);
  window.addEventListener("online", listener);
  // Network Information API; Safari and Firefox lack it.
  (navigator as { connection?: EventTarget }).connection?.addEventListener("change", listener);
  onPageBack(listener);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") listener();
  });
}

const readClocks = (): readonly number[] => [Date.now(), performance.now()];
