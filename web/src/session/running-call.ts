import { useSyncExternalStore } from "react";
import { createListeners } from "../browser/listeners.ts";

/** This tab's open call, for the parts of the app outside the dialer: the strip and the error screen. */
export interface RunningCall {
  /** Name or number of the called person. */
  readonly who: string;
  /** Whole seconds since the answer. */
  readonly seconds: number;
  /** Dollars so far, as a decimal string. */
  readonly cost: string;
  hangUp(): void;
}

const { notify, subscribe } = createListeners();
let running: RunningCall | null = null;
let views = 0;

/** Sets the phone's open call, null without one. During a call the browser asks before leaving the page. */
export function setRunningCall(next: RunningCall | null): void {
  if ((next === null) !== (running === null)) {
    if (next === null) window.removeEventListener("beforeunload", confirmLeaving);
    else window.addEventListener("beforeunload", confirmLeaving);
  }
  running = next;
  notify();
}

function confirmLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

export function useRunningCall(): RunningCall | null {
  const read = () => running;
  return useSyncExternalStore(subscribe, read, read);
}

/** Says that a view with its own Hang Up button is mounted; returns the undo function. */
export function showCallView(): () => void {
  views += 1;
  notify();
  return () => {
    views -= 1;
    notify();
  };
}

/** Whether a mounted view already shows the call and hangs it up. */
export function isCallViewShown(): boolean {
  return views > 0;
}

export function useCallViewShown(): boolean {
  return useSyncExternalStore(subscribe, isCallViewShown, isCallViewShown);
}
