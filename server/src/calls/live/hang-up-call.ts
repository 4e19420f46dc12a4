import { isFinal } from "@farline/domain/calls/call-state.ts";
import { AppError } from "../../platform/app-error.ts";
import { serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { findCallOf, requestHangUp } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { recordEvent } from "../events/record-event.ts";

/** When the sweeper checks that the legs have ended. */
const FOLLOW_UP_MS = 2_000;

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
