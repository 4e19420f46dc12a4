import { dialledNumber } from "@farline/domain/numbers/extension.ts";
import type { CallChanges, LegIdentity } from "../record/call.store.ts";
import type { CallRow, Leg } from "../record/calls.tables.ts";
import type { NewEvent } from "./call-event.ts";
import type { ProviderEvent } from "./read-provider-event.ts";

/** Reads the identity of an event's leg. */
export function legIdentityOf(event: ProviderEvent, leg: Leg): LegIdentity {
  const { callControlId, legId, sessionId, to, from, kind } = event;
  // The caller id is only certain once a carrier has the call: carriers that refuse a customer's number show the service's.
  const shown = leg === "far" && (kind === "answered" || kind === "hangup") ? dialledNumber(from) : null;
  return { leg, callControlId, legId, sessionId, to: dialledNumber(to), shown };
}

/** Whether the leg belongs to the call. Once a leg is known, no other leg can take its role. */
export function ownsLeg(call: CallRow, identity: LegIdentity, kind: NewEvent["kind"]): boolean {
  const { far_call_control_id: far, parked_call_control_id: parked } = call;
  const [known, other] = identity.leg === "far" ? [far, parked] : [parked, far];
  if (identity.callControlId === other || (known !== null && known !== identity.callControlId)) return false;
  return identity.leg === "parked" || wasCommanded(call, identity, known !== null || kind === "cost");
}

/**
 * Whether the service commanded this far leg: it is in the parked leg's session and goes to the call's number.
 * @param mayOmitNumber whether the number may be missing, because the leg is known or connects nobody
 */
export function wasCommanded(
  call: CallRow,
  { to, sessionId }: Pick<LegIdentity, "to" | "sessionId">,
  mayOmitNumber = false,
): boolean {
  if (call.parked_call_control_id === null) return false;
  if (sessionId !== null && call.session_id !== null && sessionId !== call.session_id) return false;
  return to === null ? mayOmitNumber : to === call.destination;
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

/** The changes that a leg's event makes to its call. Known ids are kept. */
export function legChanges(call: CallRow, identity: LegIdentity, now: Date): LegChanges {
  if (identity.leg === "far")
    return {
      far_call_control_id: identity.callControlId,
      far_leg_id: call.far_leg_id ?? identity.legId,
      session_id: call.session_id ?? identity.sessionId,
      ...(identity.shown === null ? {} : { caller_number: identity.shown }),
    };
  return {
    parked_call_control_id: identity.callControlId,
    parked_leg_id: call.parked_leg_id ?? identity.legId,
    session_id: call.session_id ?? identity.sessionId,
    ticket_used_at: call.ticket_used_at ?? now,
  };
}
