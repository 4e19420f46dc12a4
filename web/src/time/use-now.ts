import type { Call } from "@farline/contract/calls.ts";
import { useEffect, useState } from "react";
import { onServiceTime, serviceNow } from "./clock.ts";
import { after } from "./timers.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

type CallTimes = Pick<Call, "answered_at" | "ended_at" | "duration_seconds">;

/** The service's time in milliseconds, updated at each full step while `live`. */
export function useNow(stepMs: number, live = true): number {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    if (!live) return undefined;
    let cancel = (): void => undefined;
    const update = (): void => {
      cancel();
      const next = serviceNow();
      setNow(next);
      cancel = after(stepMs - (next % stepMs), update);
    };
    update();
    const unsubscribe = onServiceTime(update);
    return () => {
      cancel();
      unsubscribe();
    };
  }, [stepMs, live]);
  return now;
}

/** The service's time, updated each minute. */
export function useMinute(): Date {
  return new Date(useNow(MINUTE_MS));
}

/** A call's duration in seconds, so far or final. Null if it was never answered. */
export function useCallSeconds({ answered_at, ended_at, duration_seconds }: CallTimes): number | null {
  const now = useNow(SECOND_MS, ended_at === null && answered_at !== null);
  if (answered_at === null) return null;
  return ended_at !== null ? duration_seconds : Math.max(0, Math.floor((now - Date.parse(answered_at)) / SECOND_MS));
}

/** The last value that stayed unchanged for `delayMs`, or that was wanted `atOnce`. */
export function useDebounced<T>(value: T, delayMs: number, atOnce = false): T {
  const [settled, setSettled] = useState(value);
  if (atOnce && settled !== value) setSettled(value);
  useEffect(() => {
    return after(delayMs, () => setSettled(value));
  }, [value, delayMs]);
  return atOnce ? value : settled;
}
