import { serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { claimCallsToEnd } from "./calls-to-end.store.ts";
import { recordEvent } from "../events/record-event.ts";

/** Most calls ended in one run; the rest wait for the next. */
const BATCH = 100;

/**
 * Ends calls at their limit where the provider was told a longer one. What is due is read from the database each time, so a restart
 * forgets nothing. A leg that could not be ended is the sweeper's.
 */
export async function endDueCalls(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  for (const call of await claimCallsToEnd(ctx.handle.db, now, BATCH)) {
    if (signal.aborted) return;
    const legs = [call.far_call_control_id, call.parked_call_control_id].filter((id) => id !== null);
    const ended = await Promise.all(legs.map((id) => ctx.commands.hangUp(id)));
    if (ended.includes(false)) continue;
    await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "limit_passed", at: now }));
  }
}
