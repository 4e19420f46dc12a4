/** Resolves when the browser has nothing more urgent to do, at the latest after `limitMs`: for what nobody waits for. */
export function whenIdle(limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    // Safari knows no idle time.
    if (typeof requestIdleCallback === "undefined") setTimeout(resolve, limitMs);
    else requestIdleCallback(() => resolve(), { timeout: limitMs });
  });
}
