import type { CallMachinery } from "../call-machinery.ts";
import { claimCallsToWarn } from "../call.store.ts";

/** Tells the pages of callers whose call ends in a minute, and in a quarter of one. The short warning makes up for the long. */
export async function warnOfEnd(m: Pick<CallMachinery, "handle" | "clock" | "live">): Promise<void> {
  const now = m.clock.now();
  for (const seconds of [15, 60] as const)
    for (const call of await claimCallsToWarn(m.handle.db, now, seconds))
      m.live.publish(call.customer_id, { type: "call_warning", id: call.id, seconds_left: seconds });
}
