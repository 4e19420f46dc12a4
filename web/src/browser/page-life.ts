import { after } from "../time/timers.ts";

/**
 * Calls `listener` when this page is closed, reloaded or left, also if the browser keeps it for Back, and when it freezes the page.
 * Not when it is only hidden.
 */
export function onPageLeft(listener: () => void): void {
  if (typeof document === "undefined") return;
  window.addEventListener("pagehide", listener);
  document.addEventListener("freeze", listener);
}

/**
 * Calls `listener` when a page that was left or frozen goes on. Meanwhile it has heard nothing, not even that another tab signed out.
 * Returns the unsubscribe function.
 */
export function onPageBack(listener: () => void): () => void {
  if (typeof document === "undefined") return () => undefined;
  const shown = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) listener();
  };
  window.addEventListener("pageshow", shown);
  document.addEventListener("resume", listener);
  return () => {
    window.removeEventListener("pageshow", shown);
    document.removeEventListener("resume", listener);
  };
}

/** Resolves when the browser is idle, at the latest after `limitMs`. For deferrable tasks. */
export function whenIdle(limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no requestIdleCallback.
    if (typeof requestIdleCallback === "undefined") after(limitMs, resolve);
    else requestIdleCallback(() => resolve(), { timeout: limitMs });
  });
}
