import { serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { claimCallsToEnd } from "./calls-to-end.store.ts";
import { recordEvent } from "../events/record-event.ts";

/** Calls ended per run. */
const BATCH = 100;

/**
 * Ends calls at their own limit if the provider has a longer one. Due calls are read from the database, so a restart loses none. The
 * sweeper retries legs that could not be ended.
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
