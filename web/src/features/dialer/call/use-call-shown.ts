import { useEffect, useState } from "react";
import type { PhoneState } from "../../../phone/phone-state.ts";
import { after } from "../../../time/timers.ts";

/** Refusals arrive within this time, so the call view does not flash. */
const SHOW_CALL_AFTER_MS = 400;

/** Whether the call view is shown: once the service has allowed the call, or if starting it takes long. */
export function useCallShown({ status, call }: PhoneState): boolean {
  const starting = status === "initializing" && call?.callId === null;
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!starting) return undefined;
    const cancel = after(SHOW_CALL_AFTER_MS, () => setSlow(true));
    return () => {
      cancel();
      setSlow(false);
    };
  }, [starting]);
  return status !== "idle" && (!starting || slow);
}
