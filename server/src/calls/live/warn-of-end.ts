import type { CallContext } from "../call-context.ts";
import { claimCallsToWarn } from "./calls-to-end.store.ts";

/** Warns pages 60 and 15 seconds before their call ends. A call first seen in its last 15 seconds gets only the second warning. */
export async function warnOfEnd(ctx: CallContext): Promise<void> {
  const now = ctx.clock.now();
  for (const seconds of [15, 60] as const)
    for (const call of await claimCallsToWarn(ctx.handle.db, now, seconds))
      ctx.live.publish(call.customer_id, { type: "call_warning", id: call.id, seconds_left: seconds });
}
