import { isFinal } from "@farline/domain/calls/call-state.ts";
import type { NewEvent } from "./call-event.ts";
import type { CallContext } from "../call-context.ts";
import type { LegIdentity } from "../record/call.store.ts";
import { publishCall } from "../record/present-call.ts";
import type { AppendResult } from "./append-events.ts";

/** What recording an event and settling its call needs. */
export type SettlingContext = Pick<CallContext, "appendEvent" | "settle" | "live" | "log" | "clock">;

/** The call's state after an event was recorded. */
export type Recorded = Pick<AppendResult, "call" | "facts" | "needsProof" | "foreignLeg">;

/**
 * Stores an event, derives the call's state from all its events, and settles the call if it has ended. An ended call stays due for a
 * check until it is settled; afterwards only the carrier's cost and the route can change. Events may be repeated, late or out of order.
 * @param identity the event's leg; an unknown one becomes the call's
 * @returns null if there is no such call
 */
export async function recordEvent(
  ctx: SettlingContext,
  callId: string,
  event: NewEvent,
  identity: LegIdentity | null = null,
): Promise<Recorded | null> {
  const appended = await ctx.appendEvent({ callId, event, identity });
  if (appended === null) return null;
  const { before, outcome, ...recorded } = appended;
  const call = outcome?.end ? await ctx.settle(recorded.call, outcome) : recorded.call;
  if (before !== null && call.status !== before) publishCall(ctx.live, call, isFinal(call.status) ? "charge" : "state");
  return { ...recorded, call };
}
