import { useEffect, useState } from "react";
import { after } from "../time/timers.ts";

/** The last value that stayed unchanged for `delayMs`. */
export function useDebounced<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    return after(delayMs, () => setSettled(value));
  }, [value, delayMs]);
  return settled;
}
