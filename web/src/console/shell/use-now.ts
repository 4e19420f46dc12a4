import { useEffect, useState } from "react";

const TICK_MS = 1_000;

/** The service's time, each second. @param at the time at the service when `read` was the time here */
export function useServiceNow(at: string | undefined, read: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  // What is read between two ticks is never in the future.
  return at === undefined ? now : Date.parse(at) + Math.max(0, now - read);
}
