import { serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { findCallsToCut } from "./calls-to-end.store.ts";
import { hangUpCall } from "./hang-up-call.ts";
import { recordEvent } from "../events/record-event.ts";

/** Calls ended per run. */
const BATCH = 100;

/**
 * Ends running calls whose session was ended, and those that accounts make or pay that were frozen, went into debt, or whose owner ended all
 * access. Reads them from the database each time, so a crash forgets none; the sweeper retries failed attempts.
 */
export async function cutCalls(ctx: CallContext, signal: AbortSignal): Promise<void> {
  for (const { because: kind, ...call } of await findCallsToCut(ctx.handle.db, BATCH)) {
    if (signal.aborted) return;
    ctx.log.warn({ call: call.id, customer: call.customer_id, because: kind }, "call ended by the service");
    await recordEvent(ctx, call.id, serviceEvent(call.id, { kind, at: ctx.clock.now() }));
    await hangUpCall(ctx, call).catch((error: unknown) => ctx.log.warn({ err: error, call: call.id }, "call could not be ended"));
  }
}
