import { SECONDS_TO_RETURN } from "@farline/contract/constants.ts";
import type { CallContext } from "../call-context.ts";
import { aboutCall } from "../../platform/log.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { hangUpCall } from "./hang-up-call.ts";
import { claimLeftCalls, markBack, markLeft } from "./live-call.store.ts";

/** Just long enough for a page load, because the called person hears silence and the caller pays. */
const RETURN_MS = SECONDS_TO_RETURN * 1000;
/** When the sweeper checks that the legs have ended. */
const FOLLOW_UP_MS = 2_000;
/** Calls ended per run. */
const BATCH = 100;

/** Records that the call's page has closed. The call is hung up after `RETURN_MS` unless a page rejoins it. */
export async function leaveCall(ctx: CallContext, call: CallRow, page: string): Promise<void> {
  if (call.next_check_at === null) return;
  await markLeft(ctx.handle.db, { callId: call.id, page, hangUpAt: new Date(ctx.clock.now().getTime() + RETURN_MS) });
}

/**
 * Records that a page is in the call or can rejoin it. Pages repeat this with every poll, so a late beacon of the previous page is
 * harmless.
 */
export async function stayInCall(ctx: CallContext, call: CallRow, page: string): Promise<void> {
  if (call.hang_up_at === null || call.left_page === page) return;
  await markBack(ctx.handle.db, { callId: call.id, page });
}

/** Ends calls whose page did not return. The sweeper retries failed attempts. */
export async function hangUpLeftCalls(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  for (const call of await claimLeftCalls(ctx.handle.db, now, new Date(now.getTime() + FOLLOW_UP_MS), BATCH)) {
    if (signal.aborted) return;
    await aboutCall(call, async () => {
      ctx.log.info("call hung up: its page has gone");
      await hangUpCall(ctx, call).catch((error: unknown) => ctx.log.warn({ err: error }, "call could not be ended"));
    });
  }
}
