import { useSyncExternalStore } from "react";

/** Events that precede dialling: touch, key press, pointer move, focus. */
const SIGNS = ["pointerdown", "pointermove", "keydown", "focusin", "touchstart", "wheel"] as const;

const listeners = new Set<() => void>();
let intended = false;

function markIntended(): void {
  intended = true;
  for (const sign of SIGNS) window.removeEventListener(sign, markIntended);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0 && !intended) for (const sign of SIGNS) window.addEventListener(sign, markIntended, { passive: true });
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) for (const sign of SIGNS) window.removeEventListener(sign, markIntended);
  };
}

/** True after the first interaction on the dialer: then preload what a call needs. */
export function useCallIntent(): boolean {
  const read = (): boolean => intended;
  return useSyncExternalStore(subscribe, read, read);
}
