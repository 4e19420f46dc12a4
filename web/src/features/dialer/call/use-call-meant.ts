import { useSyncExternalStore } from "react";

/** What somebody does who is about to dial: a touch, a key, the pointer over the page, the focus in a field. */
const SIGNS = ["pointerdown", "pointermove", "keydown", "focusin", "touchstart", "wheel"] as const;

const listeners = new Set<() => void>();
let meant = false;

function mean(): void {
  meant = true;
  for (const sign of SIGNS) window.removeEventListener(sign, mean);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0 && !meant) for (const sign of SIGNS) window.addEventListener(sign, mean, { passive: true });
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) for (const sign of SIGNS) window.removeEventListener(sign, mean);
  };
}

/** Whether anybody has given a sign of life on the dialer: then what a call needs is worth fetching. It stays so. */
export function useCallMeant(): boolean {
  return useSyncExternalStore(subscribe, () => meant);
}
