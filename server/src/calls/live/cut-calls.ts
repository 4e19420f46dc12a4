import { serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { findCallsToCut } from "./calls-to-end.store.ts";
import { hangUpCall } from "./hang-up-call.ts";
import { recordEvent } from "../events/record-event.ts";

/** Most calls ended in one run; the rest wait for the next. */
const BATCH = 100;

/**
 * Ends running calls whose account was frozen, whose payment was reversed into debt, or whose email address's owner ended all
 * access to the account. The sweeper repeats failed attempts.
 */
export async function cutCalls(ctx: CallContext, signal: AbortSignal): Promise<void> {
  for (const { because: kind, ...call } of await findCallsToCut(ctx.handle.db, BATCH)) {
    if (signal.aborted) return;
    ctx.log.warn({ call: call.id, customer: call.customer_id, because: kind }, "call ended by the service");
    await recordEvent(ctx, call.id, serviceEvent(call.id, { kind, at: ctx.clock.now() }));
    await hangUpCall(ctx, call).catch((error: unknown) => ctx.log.warn({ err: error, call: call.id }, "call could not be ended"));
  }
}
