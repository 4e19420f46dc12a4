import type { ToastItem } from "./toast.ts";

/** Nobody reads more at a time; the oldest is dismissed. */
const MAX_SHOWN = 3;

/** A toast on the page. */
export interface ShownToast extends ToastItem {
  /** Its key, or a generated id. */
  readonly id: string;
  /** Changes when the text under an id is replaced. */
  readonly version: number;
  /** Its exit animation is running. */
  readonly leaving: boolean;
}

let made = 0;

/** Adds a toast on top; one with the same key is replaced in place. Toasts over the maximum start to leave. */
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

/** Starts a toast's exit animation. */
export function closeToast(shown: readonly ShownToast[], id: string): readonly ShownToast[] {
  return shown.map((one) => (one.id === id ? { ...one, leaving: true } : one));
}

/** Starts the exit animation of all toasts. */
export function closeAll(shown: readonly ShownToast[]): readonly ShownToast[] {
  return shown.some(({ leaving }) => !leaving) ? shown.map((one) => ({ ...one, leaving: true })) : shown;
}

/** Removes a toast that has left, unless it was shown again meanwhile. */
export function removeToast(shown: readonly ShownToast[], gone: ShownToast): readonly ShownToast[] {
  return shown.filter((one) => one.id !== gone.id || one.version !== gone.version);
}
