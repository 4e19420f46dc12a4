import type { ToastItem } from "./toast.ts";

/** More at a time nobody reads; the oldest makes room. */
const MAX_SHOWN = 3;

/** A message on the page. */
export interface ShownToast extends ToastItem {
  /** Its key, or a number of its own. */
  readonly id: string;
  /** Another text under the same id. */
  readonly version: number;
  /** On its way off the page. */
  readonly leaving: boolean;
}

let made = 0;

/** Puts a message on top; one of the same key changes where it is. What is too much for the page begins to leave. */
export function addToast(shown: readonly ShownToast[], item: ToastItem): readonly ShownToast[] {
  made += 1;
  const added = { ...item, id: item.key ?? `#${made}`, version: made, leaving: false };
  const all = shown.some(({ id }) => id === added.id)
    ? shown.map((one) => (one.id === added.id ? added : one))
    : [added, ...shown];
  let staying = 0;
  return all.map((one) => {
    if (!one.leaving) staying += 1;
    return !one.leaving && staying > MAX_SHOWN ? { ...one, leaving: true } : one;
  });
}

/** Sends a message off; it stays for the moment that its going takes. */
export function closeToast(shown: readonly ShownToast[], id: string): readonly ShownToast[] {
  return shown.map((one) => (one.id === id ? { ...one, leaving: true } : one));
}

/** Forgets a message that has left, unless it was shown anew meanwhile. */
export function removeToast(shown: readonly ShownToast[], gone: ShownToast): readonly ShownToast[] {
  return shown.filter((one) => one.id !== gone.id || one.version !== gone.version);
}
