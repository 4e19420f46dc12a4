import { dialledNumber } from "@farline/domain/numbers/dialled-number.ts";
import type { CallChanges, LegNames } from "../record/call.store.ts";
import type { CallRow, Leg } from "../record/calls.tables.ts";
import type { NewEvent } from "./call-event.ts";
import type { ProviderEvent } from "./read-provider-event.ts";

/** What an event says about its leg. */
export function legNames(event: ProviderEvent, leg: Leg): LegNames {
  const { callControlId, legId, sessionId, to, from, kind } = event;
  // The shown number is only certain once a carrier has the call. Carriers that refuse customers' numbers show ours.
  const shown = leg === "far" && (kind === "answered" || kind === "hangup") ? dialledNumber(from) : null;
  return { leg, callControlId, legId, sessionId, to: dialledNumber(to), shown };
}

/** Whether the leg is the call's. Once a leg is known, another one in its role is not. */
export function ownsLeg(call: CallRow, names: LegNames, kind: NewEvent["kind"]): boolean {
  const { far_call_control_id: far, parked_call_control_id: parked } = call;
  const [known, other] = names.leg === "far" ? [far, parked] : [parked, far];
  if (names.callControlId === other || (known !== null && known !== names.callControlId)) return false;
  return names.leg === "parked" || wasCommanded(call, names, known !== null || kind === "cost");
}

/**
 * Whether the service commanded this far leg: it is in the parked leg's session and goes to the call's number.
 * @param mayBeSilent whether the number may be missing, because the leg is known or connects nobody
 */
export function wasCommanded(call: CallRow, { to, sessionId }: Pick<LegNames, "to" | "sessionId">, mayBeSilent = false): boolean {
  if (call.parked_call_control_id === null) return false;
  if (sessionId !== null && call.session_id !== null && sessionId !== call.session_id) return false;
  return to === null ? mayBeSilent : to === call.destination;
}

/** What events reveal about a call's legs. */
export type LegChanges = Pick<
  CallChanges,
  | "far_call_control_id"
  | "far_leg_id"
  | "parked_call_control_id"
  | "parked_leg_id"
  | "session_id"
  | "caller_number"
  | "ticket_used_at"
>;

/** What an event of a leg reveals about it. A known id is kept. */
export function legChanges(call: CallRow, names: LegNames, now: Date): LegChanges {
  if (names.leg === "far")
    return {
      far_call_control_id: names.callControlId,
      far_leg_id: call.far_leg_id ?? names.legId,
      session_id: call.session_id ?? names.sessionId,
      ...(names.shown === null ? {} : { caller_number: names.shown }),
    };
  return {
    parked_call_control_id: names.callControlId,
    parked_leg_id: call.parked_leg_id ?? names.legId,
    session_id: call.session_id ?? names.sessionId,
    ticket_used_at: call.ticket_used_at ?? now,
  };
}
