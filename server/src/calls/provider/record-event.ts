import type { CallStatus } from "@farline/contract/calls.ts";
import { isFinal, mayMove } from "@farline/domain/calls/call-state.ts";
import type { Tx } from "../../platform/database/database.ts";
import { factOf, type NewEvent } from "./call-event.ts";
import { LIMIT_GRACE_SECONDS } from "../call-times.ts";
import type { CallContext } from "../call-context.ts";
import { limitOf, maxSecondsOf } from "../authorise/call-price.ts";
import { insertEvent, lockCall, readEvents, updateCall, type CallChanges, type LegNames } from "../call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import { deriveOutcome, type Fact, type Outcome } from "../settle/derive-outcome.ts";
import { tellOfCall } from "../live/tell-of-call.ts";

/** How often the sweeper checks a live call. */
const LIVE_CHECK_MS = 10_000;
/** When the sweeper checks a call whose end is unproven, or whose settlement failed. */
const PROOF_CHECK_MS = 2_000;

type Dependencies = Pick<CallContext, "handle" | "clock" | "log" | "live" | "settle">;

export interface Recorded {
  /** The call's current row. */
  call: CallRow;
  facts: readonly Fact[];
  needsProof: boolean;
  /** Whether the leg is not the call's, or was not commanded. Then nothing was changed. */
  foreignLeg: boolean;
}

/**
 * Stores an event, derives the call's state from all its events again, and settles it if it is over. Until settled, an ended
 * call stays due for a check that retries. After that, only the carrier's cost may change. Events may be repeated, late or
 * out of order.
 * @param names the event's leg; an unknown one becomes the call's
 * @returns null if there is no such call
 */
export async function recordEvent(
  deps: Dependencies,
  callId: string,
  event: NewEvent,
  names: LegNames | null = null,
): Promise<Recorded | null> {
  const noted = await note(deps, { callId, event, names });
  if (noted === null) return null;
  const { before, outcome, ...recorded } = noted;
  const call = outcome?.end ? await deps.settle(recorded.call, outcome) : recorded.call;
  if (call.status !== before) tellOfCall(deps.live, call, isFinal(call.status) ? "charge" : "state");
  if (isFinal(call.status) && !isFinal(before)) logEnd(deps, call);
  return { ...recorded, call };
}

/** `outcome` is null if the event can no longer change anything. */
async function note(
  deps: Dependencies,
  { callId, event, names }: { callId: string; event: NewEvent; names: LegNames | null },
): Promise<(Recorded & { before: CallStatus; outcome: Outcome | null }) | null> {
  return deps.handle.db.transaction().execute(async (tx) => {
    const call = await lockCall(tx, callId);
    if (call === undefined) return null;
    const unchanged = { call, facts: [], needsProof: false, foreignLeg: false, before: call.status, outcome: null };
    const now = deps.clock.now();
    if (names !== null && !ownsLeg(call, names, event.kind)) return { ...unchanged, foreignLeg: true };
    const isNew = await insertEvent(tx, { ...event, call_id: callId, received_at: now });
    const facts = (await readEvents(tx, callId)).map(factOf).filter((fact) => fact !== null);
    const outcome = deriveOutcome(facts, limitOf(call));
    if (isFinal(call.status)) {
      if (isNew && event.kind !== "cost")
        deps.log.info({ call: callId, kind: event.kind, leg: event.leg }, "event after the end of a call");
      return { ...unchanged, call: await saveLateCost(tx, call, outcome), facts };
    }
    const updated = await updateCall(tx, callId, {
      ...nameChanges(call, names, now),
      ...progressChanges(call, outcome, facts, now),
    });
    return { ...unchanged, call: updated, facts, needsProof: outcome.needsProof, outcome };
  });
}

/** Whether the leg is the call's. Once a leg is known, another one in its role is not. */
function ownsLeg(call: CallRow, names: LegNames, kind: NewEvent["kind"]): boolean {
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

function nameChanges(call: CallRow, names: LegNames | null, now: Date): CallChanges {
  if (names === null) return {};
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

function progressChanges(call: CallRow, outcome: Outcome, facts: readonly Fact[], now: Date): CallChanges {
  const date = (ms: number | null) => (ms === null ? null : new Date(ms));
  const answeredAt = date(outcome.answeredAtMs);
  const oneLegLeft = outcome.end === null && facts.some((fact) => fact.kind === "hangup");
  return {
    // The settlement writes the end together with the charge.
    status: outcome.end === null && mayMove(call.status, outcome.status) ? outcome.status : call.status,
    started_at: date(outcome.startedAtMs),
    answered_at: answeredAt,
    ends_at: outcome.answeredAtMs === null ? null : date(outcome.answeredAtMs + maxSecondsOf(call) * 1000),
    carrier_cost_micros: outcome.carrierCostMicros,
    last_seen_alive_at: later(call.last_seen_alive_at, answeredAt),
    hangup_requested_at: call.hangup_requested_at ?? (oneLegLeft ? now : null),
    next_check_at: nextCheckAt(call, outcome, now),
    // Until the settlement, the status does not show the end, so the ticket is closed here to prevent dialling.
    ...(outcome.end !== null && { ticket_used_at: call.ticket_used_at ?? now }),
  };
}

function nextCheckAt(call: CallRow, outcome: Outcome, now: Date): Date {
  if (outcome.needsProof || outcome.end !== null) return new Date(now.getTime() + PROOF_CHECK_MS);
  const regular = now.getTime() + LIVE_CHECK_MS;
  if (outcome.answeredAtMs === null) return new Date(regular);
  const deadline = outcome.answeredAtMs + (maxSecondsOf(call) + LIMIT_GRACE_SECONDS) * 1000;
  return new Date(Math.min(regular, Math.max(deadline, now.getTime())));
}

async function saveLateCost(tx: Tx, call: CallRow, outcome: Outcome): Promise<CallRow> {
  if (outcome.carrierCostMicros === call.carrier_cost_micros) return call;
  return updateCall(tx, call.id, { carrier_cost_micros: outcome.carrierCostMicros });
}

function later(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

function logEnd(deps: Pick<Dependencies, "log">, call: CallRow): void {
  deps.log.info(
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
