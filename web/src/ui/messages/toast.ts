import { useSyncExternalStore } from "react";
import { createListeners } from "../../browser/listeners.ts";

export type ToastKind = "success" | "info" | "warning" | "error";

export interface ToastItem {
  /** Identifies a toast that can be dismissed; another with the same key replaces it. */
  readonly key: string | undefined;
  readonly kind: ToastKind;
  readonly text: string;
  readonly timeoutMs: number;
}

/** How long each kind is shown, unless paused. */
const TIMEOUT_MS: Readonly<Record<ToastKind, number>> = { success: 5000, info: 5000, warning: 6000, error: 7000 };
/** At most this many toasts wait for the toaster to load. */
const MAX_WAITING = 10;

interface Toaster {
  show(item: ToastItem): void;
  dismiss(key: string): void;
}

let toaster: Toaster | null = null;
let waiting: readonly ToastItem[] = [];
let wanted = false;
const { notify, subscribe } = createListeners();

function add(kind: ToastKind, text: string, key?: string): void {
  const item: ToastItem = { key, kind, text, timeoutMs: TIMEOUT_MS[kind] };
  if (toaster !== null) return toaster.show(item);
  waiting = [...without(key), item].slice(-MAX_WAITING);
  wanted = true;
  notify();
}

function without(key: string | undefined): readonly ToastItem[] {
  return key === undefined ? waiting : waiting.filter((item) => item.key !== key);
}

/** Short messages, top right, from anywhere in the app. An error that blocks the user must also appear on the page. */
export const toast = {
  success: (text: string, key?: string): void => add("success", text, key),
  info: (text: string, key?: string): void => add("info", text, key),
  warning: (text: string, key?: string): void => add("warning", text, key),
  error: (text: string, key?: string): void => add("error", text, key),
  /** Dismisses a toast that no longer applies. */
  dismiss(key: string): void {
    waiting = without(key);
    toaster?.dismiss(key);
  },
};

/** Called when the toaster mounts; shows the waiting toasts. Returns the detach function. */
export function attachToaster(next: Toaster): () => void {
  toaster = next;
  for (const item of waiting) next.show(item);
  waiting = [];
  return () => {
    toaster = null;
  };
}

/** True once a toast was requested before the toaster was loaded. */
export function useToasterWanted(): boolean {
  return useSyncExternalStore(subscribe, () => wanted);
}
