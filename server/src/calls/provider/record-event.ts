import type { CallStatus } from "@farline/contract/calls.ts";
import { isFinal } from "@farline/domain/calls/call-state.ts";
import { factOf, type NewEvent } from "./call-event.ts";
import type { CallContext } from "../call-context.ts";
import { limitOf } from "../authorise/call-price.ts";
import { insertEvent, lockCall, readEvents, updateCall, type LegNames } from "../call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import { deriveOutcome, type Fact, type Outcome } from "../settle/derive-outcome.ts";
import { tellOfCall } from "../live/tell-of-call.ts";
import { legChanges, ownsLeg } from "./call-legs.ts";
import { routeChanges } from "./call-route.ts";
import { progressChanges } from "./call-progress.ts";

type Dependencies = Pick<CallContext, "handle" | "clock" | "log" | "live" | "settle" | "eventTurns">;

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
 * call stays due for a check that retries. After that, only the carrier's cost and the route may change. Events may be repeated, late or
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
  // A call's events come in bursts. Waiting for its row, each would hold a connection.
  return deps.eventTurns.take(callId, () => recordInTurn(deps, { callId, event, names }));
}

interface LegEvent {
  readonly callId: string;
  readonly event: NewEvent;
  readonly names: LegNames | null;
}

async function recordInTurn(deps: Dependencies, legEvent: LegEvent): Promise<Recorded | null> {
  const noted = await note(deps, legEvent);
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
  { callId, event, names }: LegEvent,
): Promise<(Recorded & { before: CallStatus; outcome: Outcome | null }) | null> {
  return deps.handle.db.transaction().execute(async (tx) => {
    const call = await lockCall(tx, callId);
    if (call === undefined) return null;
    const unchanged = { call, facts: [], needsProof: false, foreignLeg: false, before: call.status, outcome: null };
    const now = deps.clock.now();
    if (names !== null && !ownsLeg(call, names, event.kind)) return { ...unchanged, foreignLeg: true };
    const isNew = await insertEvent(tx, { ...event, call_id: callId, received_at: now });
    const events = await readEvents(tx, callId);
    const facts = events.map(factOf).filter((fact) => fact !== null);
    const route = routeChanges(events);
    const outcome = deriveOutcome(facts, limitOf(call));
    if (isFinal(call.status)) {
      if (isNew && event.kind !== "cost")
        deps.log.info({ call: callId, kind: event.kind, leg: event.leg }, "event after the end of a call");
      const late = { carrier_cost_micros: outcome.carrierCostMicros, ...route };
      return { ...unchanged, call: await updateCall(tx, callId, late), facts };
    }
    const updated = await updateCall(tx, callId, {
      ...legChanges(call, names, now),
      ...progressChanges(call, outcome, facts, now),
      ...route,
    });
    return { ...unchanged, call: updated, facts, needsProof: outcome.needsProof, outcome };
  });
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
