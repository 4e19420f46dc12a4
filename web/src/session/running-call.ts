import { useSyncExternalStore } from "react";

/** This tab's open call, for the parts of the app that are there when the dialer is not: the strip and the error screen. */
export interface RunningCall {
  /** Name or number of the called person. */
  readonly who: string;
  /** Whole seconds since the answer. */
  readonly seconds: number;
  /** Dollars so far, as a decimal string. */
  readonly cost: string;
  hangUp(): void;
}

const listeners = new Set<() => void>();
let running: RunningCall | null = null;
let views = 0;

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sets what the phone says of its open call, null without one. While there is one, the browser asks before the page is left. */
export function setRunningCall(next: RunningCall | null): void {
  if ((next === null) !== (running === null)) {
    if (next === null) window.removeEventListener("beforeunload", askFirst);
    else window.addEventListener("beforeunload", askFirst);
  }
  running = next;
  tell();
}

function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function getRunningCall(): RunningCall | null {
  return running;
}

export function useRunningCall(): RunningCall | null {
  return useSyncExternalStore(subscribe, getRunningCall, getRunningCall);
}

/** Says that a view with its own Hang Up button is mounted; returns what takes it back. */
export function showCallView(): () => void {
  views += 1;
  tell();
  return () => {
    views -= 1;
    tell();
  };
}

/** Whether a mounted view already shows the call and hangs it up. */
export function isCallViewShown(): boolean {
  return views > 0;
}

export function useCallViewShown(): boolean {
  return useSyncExternalStore(subscribe, isCallViewShown, isCallViewShown);
}
