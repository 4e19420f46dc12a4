const LOOK_EVERY_MS = 1000;
/** A timer this much late: the machine slept, or the browser held the page still. */
const JUMP_MS = 5000;

/**
 * Calls `listener` when this page comes back to the world: the machine was awakened, the network is there again or is another
 * one, or the page is shown. What it knows may be old then.
 */
export function onWake(listener: () => void): void {
  if (typeof window === "undefined") return;
  let lookedAtMs = Date.now();
  // oxlint-disable-next-line farline/bounded-timers -- as long as the page
  setInterval(() => {
    const now = Date.now();
    const slept = now - lookedAtMs > JUMP_MS;
    lookedAtMs = now;
    if (slept) listener();
  }, LOOK_EVERY_MS);
  window.addEventListener("online", listener);
  // Network Information API; Safari and Firefox lack it.
  (navigator as { connection?: EventTarget }).connection?.addEventListener("change", listener);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") listener();
  });
}
