import { SECONDS_TO_RETURN } from "@farline/contract/constants.ts";
import type { CallMachinery } from "../call-machinery.ts";
import type { CallRow } from "../calls.tables.ts";
import { hangUpCall } from "./hang-up-call.ts";
import { claimLeftCalls, markBack, markLeft } from "./leave-call.store.ts";

/** As short as a page's load allows: the person at the other end hears silence meanwhile, and the caller pays. */
const RETURN_MS = SECONDS_TO_RETURN * 1000;
/** When the sweeper looks whether the legs are really gone. */
const FOLLOW_UP_MS = 2_000;
/** Calls ended in one run: more wait for the next. */
const BATCH = 100;

/** A page that was in the call goes away: the call is hung up soon, unless another page comes back to it first. */
export async function leaveCall(m: Pick<CallMachinery, "handle" | "clock">, call: CallRow, page: string): Promise<void> {
  if (call.next_check_at === null) return;
  await markLeft(m.handle.db, { callId: call.id, page, hangUpAt: new Date(m.clock.now().getTime() + RETURN_MS) });
}

/**
 * A page says that it is in the call, or offers to take it up again. It says so with every look, so that the beacon of the
 * page before it may also come late.
 */
export async function stayInCall(m: Pick<CallMachinery, "handle">, call: CallRow, page: string | undefined): Promise<void> {
  if (page === undefined || call.hang_up_at === null || call.left_page === page) return;
  await markBack(m.handle.db, { callId: call.id, page });
}

/** Ends the calls whose page has gone for good. The sweeper repeats what does not get through. */
export async function hangUpLeftCalls(m: CallMachinery, signal: AbortSignal): Promise<void> {
  const now = m.clock.now();
  for (const call of await claimLeftCalls(m.handle.db, now, new Date(now.getTime() + FOLLOW_UP_MS), BATCH)) {
    if (signal.aborted) return;
    m.log.info({ call: call.id }, "call hung up: its page has gone");
    await hangUpCall(m, call).catch((error: unknown) => m.log.warn({ err: error, call: call.id }, "call could not be ended"));
  }
}
