import { useSyncExternalStore } from "react";

/** Events that precede dialling: touch, key press, pointer move, focus. */
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

/** True after the first interaction on the dialer: then preload what a call needs. */
export function useCallMeant(): boolean {
  return useSyncExternalStore(subscribe, () => meant);
}
