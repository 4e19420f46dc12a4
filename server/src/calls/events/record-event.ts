import { isFinal } from "@farline/domain/calls/call-state.ts";
import type { NewEvent } from "./call-event.ts";
import type { CallContext } from "../call-context.ts";
import type { LegNames } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { publishCall } from "../record/publish-call.ts";
import type { Noted } from "./append-events.ts";

/** What is known of the call once an event is recorded. */
export type Recorded = Pick<Noted, "call" | "facts" | "needsProof" | "foreignLeg">;

/**
 * Stores an event, derives the call's state from all its events again, and settles it if it is over. Until settled, an ended
 * call stays due for a check that retries. After that, only the carrier's cost and the route may change. Events may be repeated, late or
 * out of order.
 * @param names the event's leg; an unknown one becomes the call's
 * @returns null if there is no such call
 */
export async function recordEvent(
  ctx: CallContext,
  callId: string,
  event: NewEvent,
  names: LegNames | null = null,
): Promise<Recorded | null> {
  const noted = await ctx.noteEvent({ callId, event, names });
  if (noted === null) return null;
  const { before, outcome, ...recorded } = noted;
  const call = outcome?.end ? await ctx.settle(recorded.call, outcome) : recorded.call;
  if (before !== null && call.status !== before) publishCall(ctx.live, call, isFinal(call.status) ? "charge" : "state");
  if (before !== null && isFinal(call.status) && !isFinal(before)) logEnd(ctx, call);
  return { ...recorded, call };
}

function logEnd(ctx: CallContext, call: CallRow): void {
  ctx.log.info(
    {
      call: call.id,
      status: call.status,
      reason: call.end_reason,
      ms: call.duration_ms,
      charge_micros: String(call.charge_micros),
    },
    "call settled",
  );
}
