import type { Call } from "@farline/contract/calls.ts";
import { useEffect, useState } from "react";

const TICK_MS = 1000;

type Times = Pick<Call, "answered_at" | "ended_at" | "duration_seconds">;

/** A call's duration in seconds, so far or final. Null before it is answered. */
export function useCallSeconds({ answered_at, ended_at, duration_seconds }: Times): number | null {
  const [now, setNow] = useState(Date.now);
  const live = ended_at === null && answered_at !== null;
  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [live]);
  if (ended_at !== null) return duration_seconds;
  return answered_at === null ? null : Math.max(0, Math.floor((now - Date.parse(answered_at)) / 1000));
}
