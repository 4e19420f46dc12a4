import { isFinal } from "@farline/domain/calls/call-state.ts";
import { SECONDS_TO_RETURN } from "@farline/contract/constants.ts";
import { AppError } from "../../platform/app-error.ts";
import { serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { findCallOf, requestHangUp } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { recordEvent } from "../events/record-event.ts";
import { aboutCall } from "../../platform/log.ts";
import { claimLeftCalls, markBack, markLeft } from "./live-call.store.ts";

/** Just long enough for a page load, because the called person hears silence and the caller pays. */
const RETURN_MS = SECONDS_TO_RETURN * 1000;
/** When the sweeper checks that the legs have ended. */
const FOLLOW_UP_MS = 2_000;
/** Calls ended per run. */
const BATCH = 100;

/**
 * Ends a call. An undialled call is cancelled and its hold released. A dialled call's legs are hung up, and the provider's events
 * settle it. Idempotent.
 * @throws AppError voice_provider_down if the provider cannot be reached (the sweeper keeps trying)
 */
export async function hangUpCall(ctx: CallContext, running: CallRow): Promise<CallRow> {
  let call = running;
  if (isFinal(call.status)) return call;
  if (call.parked_call_control_id === null) {
    const at = ctx.clock.now();
    call = (await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "cancelled", at })))?.call ?? call;
    // The browser's leg may have arrived in the meantime and must be hung up.
    if (isFinal(call.status)) return call;
  }
  return endLegs(ctx, call);
}

async function endLegs(ctx: CallContext, call: CallRow): Promise<CallRow> {
  const now = ctx.clock.now();
  await requestHangUp(ctx.handle.db, call.id, now, new Date(now.getTime() + FOLLOW_UP_MS));
  const legs = [call.far_call_control_id, call.parked_call_control_id].filter((id) => id !== null);
  const ended = await Promise.all(legs.map((id) => ctx.commands.hangUp(id)));
  if (!ended.includes(true)) throw new AppError("voice_provider_down", { reason: "hang_up_failed" });
  return (await findCallOf(ctx.handle.db, call.customer_id, call.id)) ?? call;
}

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
