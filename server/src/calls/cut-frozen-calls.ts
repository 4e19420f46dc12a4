import { serviceEvent } from "./call-event.ts";
import type { CallMachinery } from "./call-machinery.ts";
import { findCallsOfFrozen } from "./call.store.ts";
import { hangUpCall } from "./hang-up-call.ts";
import { recordEvent } from "./record-event.ts";

/** Calls ended in one run: more wait for the next. */
const BATCH = 100;

/** Ends the calls of customers whose account was frozen in mid-call. The sweeper repeats what does not get through. */
export async function cutFrozenCalls(m: CallMachinery, signal: AbortSignal): Promise<void> {
  for (const call of await findCallsOfFrozen(m.handle.db, BATCH)) {
    if (signal.aborted) return;
    m.log.warn({ call: call.id, customer: call.customer_id }, "call of a frozen account ended");
    await recordEvent(m, call.id, serviceEvent(call.id, { kind: "account_frozen", at: m.clock.now() }));
    await hangUpCall(m, call).catch((error: unknown) => m.log.warn({ err: error, call: call.id }, "call could not be ended"));
  }
}
