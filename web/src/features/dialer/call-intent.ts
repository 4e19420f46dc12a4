import { useSyncExternalStore } from "react";
import { type NumberLibrary, numberLibrary, useLibrary } from "../../text/libraries.ts";
import { writeNumber } from "../../text/phone-text.ts";

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

/**
 * The numbering plans, loaded once a call seems intended. Until then the field accepts any text, and the service reads the
 * number by the same rules.
 * @param wanted load at once, because a number is already entered
 */
export function useDialLibrary(wanted = false): NumberLibrary | null {
  const intended = useCallIntent();
  return useLibrary(numberLibrary, intended || wanted);
}

/** Formats the numbers of a list, or returns them as stored until the numbering plans are loaded. */
export function useNumberText(): (number: string) => string {
  useDialLibrary();
  return writeNumber;
}
