import { createListeners } from "../browser/listeners.ts";
import { noteReach } from "../browser/online.ts";

/** HTTP dates count whole seconds. */
const DATE_STEP_MS = 1000;

/** The service's time is `performance.now()` plus an offset within this range; null before the first response. */
let offset: { readonly from: number; readonly to: number } | null = null;
const { notify, subscribe } = createListeners();

/**
 * The service's time, milliseconds since 1970. The device's clock may be wrong by years and may be set at any moment, so it counts only
 * before the first response.
 */
export function serviceNow(): number {
  return offset === null ? Date.now() : Math.round(performance.now() + (offset.from + offset.to) / 2);
}

/**
 * Learns the service's time from a response that no cache has kept. Each response narrows the range; one that contradicts it starts
 * again, because `performance.now()` may have stopped while the device slept.
 * @param sentAtMs `performance.now()` before the request
 */
export function hearServiceTime({ headers }: Response, sentAtMs: number): void {
  const date = Date.parse(headers.get("Date") ?? "");
  if (Number.isNaN(date) || headers.get("Cache-Control")?.includes("no-store") !== true) return;
  noteReach(true);
  const heard = { from: date - performance.now(), to: date + DATE_STEP_MS - sentAtMs };
  const from = Math.max(heard.from, offset?.from ?? -Infinity);
  const to = Math.min(heard.to, offset?.to ?? Infinity);
  if (offset !== null && from <= to) {
    offset = { from, to };
    return;
  }
  offset = heard;
  notify();
}

/** Calls `listener` when the service's time turns out to be another one. Returns the unsubscribe function. */
export const onServiceTime = subscribe;

/** What `deviceStamp` returned at most `maxMs` ago. A clock set back in between makes it expire. */
export function isRecent(stamp: unknown, maxMs: number): boolean {
  const ageMs = typeof stamp === "number" ? deviceStamp() - stamp : -1;
  return ageMs >= 0 && ageMs <= maxMs;
}

/** The device's time, for what is only compared with a later stamp of this browser, perhaps after a reload. Never sent or shown. */
export function deviceStamp(): number {
  return Date.now();
}
