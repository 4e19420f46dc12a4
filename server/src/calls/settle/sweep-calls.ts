import type { CallMachinery } from "../call-machinery.ts";
import { claimDueCalls } from "../call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import { checkCall } from "../authorise/check-call.ts";

const BATCH = 100;
/** Batches of one sweep: more wait for the next. */
const MOST_BATCHES = 50;
/** Questions to the provider at a time. */
const PARALLEL = 8;
/** When a call is looked at again unless something sets another time. With the sweep's own pace a call is seen every 15 s. */
const NEXT_LOOK_MS = 10_000;

/**
 * Looks at every call that is due: a ticket never used, a leg that may be over, a limit passed. What events tell comes
 * sooner; this makes sure that nothing stays open when they do not come.
 */
export async function sweepCalls(m: CallMachinery, signal: AbortSignal): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) {
    const now = m.clock.now();
    const due = await claimDueCalls(m.handle.db, now, new Date(now.getTime() + NEXT_LOOK_MS), BATCH);
    await checkAll(m, due, signal);
    if (due.length < BATCH) return;
  }
}

async function checkAll(m: CallMachinery, due: readonly CallRow[], signal: AbortSignal): Promise<void> {
  const waiting = [...due];
  const worker = async () => {
    for (let call = waiting.shift(); call !== undefined && !signal.aborted; call = waiting.shift()) {
      const { id } = call;
      await checkCall(m, call).catch((error: unknown) => m.log.warn({ err: error, call: id }, "call could not be checked"));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
