import type { CallStatus } from "@farline/contract/calls.ts";
import { isFinal } from "@farline/domain/calls/call-state.ts";
import { batched } from "../../platform/database/batched.ts";
import type { LockMode, Transaction } from "../../platform/database/database.ts";
import { limitOf } from "../record/call-price.ts";
import { insertEvents, lockCalls, readEvents, updateCall, type LegNames } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { deriveOutcome, type Fact, type Outcome } from "./derive-outcome.ts";
import { factOf, type NewEvent } from "./call-event.ts";
import { legChanges, ownsLeg, type LegChanges } from "./call-legs.ts";
import { progressChanges } from "./call-progress.ts";
import { routeChanges } from "./call-route.ts";
import type { Context } from "../../context.ts";

const MAX_BATCH_SIZE = 50;
/** With two at once, each would leave out the calls of the other. */
const MAX_BATCHES = 1;
const MAX_QUEUED = 5_000;

/** An event of a call. */
export interface CallEvent {
  readonly callId: string;
  readonly event: NewEvent;
  /** The event's leg; an unknown one becomes the call's. */
  readonly names: LegNames | null;
}

export interface Noted {
  /** The call's current row. */
  readonly call: CallRow;
  readonly facts: readonly Fact[];
  readonly needsProof: boolean;
  /** Whether the leg is not the call's, or was not commanded. Then nothing was changed. */
  readonly foreignLeg: boolean;
  /** The status before; null for all but one of the events that were noted together, so that one tells of the change. */
  readonly before: CallStatus | null;
  /** Null if the event can no longer change anything. */
  readonly outcome: Outcome | null;
}

/** Stores an event and what all events of its call say about it; null if there is no such call. */
export type NoteEvent = (event: CallEvent) => Promise<Noted | null>;

/** Events waiting at the same moment share a transaction, of one call or of several: a call's events come in bursts. */
export function createNoteEvent(ctx: Context): NoteEvent {
  return batched<CallEvent, Noted | null>({
    mostInBatch: MAX_BATCH_SIZE,
    mostBatches: MAX_BATCHES,
    mostWaiting: MAX_QUEUED,
    keyOf: ({ event }) => event.id,
    run: (requests, lock) => ctx.transaction((tx) => appendEvents(tx, ctx, { requests, lock })),
  });
}

/** @returns the answers by event, without the events of calls that the lock mode `skip` left out */
async function appendEvents(
  tx: Transaction,
  ctx: Context,
  { requests, lock }: { requests: readonly CallEvent[]; lock: LockMode },
): Promise<Map<string, Noted | null>> {
  const byCall = Map.groupBy(requests, ({ callId }) => callId);
  // Who waits for a call and finds none knows that there is none.
  const answers = new Map<string, Noted | null>(lock === "wait" ? requests.map(({ event }) => [event.id, null]) : []);
  for (const call of await lockCalls(tx, [...byCall.keys()], lock)) {
    const events = byCall.get(call.id) ?? [];
    const own = filterOwnEvents(call, events, ctx.clock.now());
    const unchanged = { call, facts: [], needsProof: false, before: null, outcome: null };
    for (const { event } of events) answers.set(event.id, { ...unchanged, foreignLeg: true });
    if (own.events.length === 0) continue;
    const known = await noteOwn(tx, ctx, { call, ...own });
    for (const [index, { event }] of own.events.entries())
      answers.set(event.id, { ...known, before: index === 0 ? call.status : null, foreignLeg: false });
  }
  return answers;
}

/** The events that are about the call's own legs, and what they reveal about these. */
function filterOwnEvents(call: CallRow, events: readonly CallEvent[], now: Date): { events: CallEvent[]; legs: LegChanges } {
  let legs: LegChanges = {};
  const own = events.filter(({ event, names }) => {
    if (names === null) return true;
    const known = { ...call, ...legs };
    if (!ownsLeg(known, names, event.kind)) return false;
    legs = { ...legs, ...legChanges(known, names, now) };
    return true;
  });
  return { events: own, legs };
}

async function noteOwn(
  tx: Transaction,
  ctx: Context,
  { call, events, legs }: { call: CallRow; events: readonly CallEvent[]; legs: LegChanges },
): Promise<Omit<Noted, "foreignLeg" | "before">> {
  const now = ctx.clock.now();
  const added = await insertEvents(
    tx,
    events.map(({ event }) => ({ ...event, call_id: call.id, received_at: now })),
  );
  const stored = await readEvents(tx, call.id);
  const facts = stored.map(factOf).filter((fact) => fact !== null);
  const route = routeChanges(stored);
  const outcome = deriveOutcome(facts, limitOf(call));
  if (!isFinal(call.status)) {
    const changes = { ...legs, ...progressChanges(call, outcome, facts, now), ...route };
    const updated = await updateCall(tx, call.id, changes);
    return { call: updated, facts, needsProof: outcome.needsProof, outcome };
  }
  for (const { event } of events)
    if (added.has(event.id) && event.kind !== "cost")
      ctx.log.info({ call: call.id, kind: event.kind, leg: event.leg }, "event after the end of a call");
  const updated = await updateCall(tx, call.id, { carrier_cost_micros: outcome.carrierCostMicros, ...route });
  return { call: updated, facts, needsProof: false, outcome: null };
}
