import { useSyncExternalStore } from "react";

export type ToastKind = "success" | "info" | "warning" | "error";

interface ToastItem {
  readonly kind: ToastKind;
  readonly text: string;
  readonly timeoutMs: number;
}

/** How long each kind stays, when nobody points at it. */
const TIMEOUT_MS: Readonly<Record<ToastKind, number>> = { success: 5000, info: 5000, warning: 6000, error: 7000 };
/** More than this cannot wait for the toaster to load. */
const MAX_WAITING = 10;

type Show = (item: ToastItem) => void;

let show: Show | null = null;
let waiting: readonly ToastItem[] = [];
let wanted = false;
const listeners = new Set<() => void>();

function add(kind: ToastKind, text: string): void {
  const item: ToastItem = { kind, text, timeoutMs: TIMEOUT_MS[kind] };
  if (show !== null) return show(item);
  waiting = [...waiting, item].slice(-MAX_WAITING);
  wanted = true;
  for (const listener of listeners) listener();
}

/** Short messages, top right, from anywhere in the app. Never the only place of an error that stops a person. */
export const toast = {
  success: (text: string): void => add("success", text),
  info: (text: string): void => add("info", text),
  warning: (text: string): void => add("warning", text),
  error: (text: string): void => add("error", text),
};

/** Called by the toaster when it is on the page; what waited is shown. Returns the way to undo it. */
export function attachToaster(next: Show): () => void {
  show = next;
  for (const item of waiting) next(item);
  waiting = [];
  return () => {
    show = null;
  };
}

/** True from the first message on that found no toaster. */
export function useToasterWanted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => wanted,
  );
}
