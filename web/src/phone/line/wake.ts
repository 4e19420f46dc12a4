import { onPageBack } from "../../browser/page-life.ts";

const LOOK_EVERY_MS = 1000;
/** A timer this late means that the machine slept or the browser froze the page. */
const JUMP_MS = 5000;

/**
 * Calls `listener` when this page resumes: the machine woke up, the network is back or changed, or the page became visible, or the browser had kept or frozen it.
 * Its state may be outdated then.
 */
export function onWake(listener: () => void): void {
  if (typeof window === "undefined") return;
  let lookedAtMs = Date.now();
  // oxlint-disable-next-line farline/bounded-timers -- runs as long as the page
  setInterval(() => {
    const now = Date.now();
    const slept = now - lookedAtMs > JUMP_MS;
    lookedAtMs = now;
    if (slept) listener();
  }, LOOK_EVERY_MS);
  window.addEventListener("online", listener);
  // Network Information API; Safari and Firefox lack it.
  (navigator as { connection?: EventTarget }).connection?.addEventListener("change", listener);
  onPageBack(listener);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") listener();
  });
}
