import type { CallStatus } from "@farline/contract/calls.ts";
import { isFinal } from "@farline/domain/calls/call-state.ts";
import { batched } from "../../platform/database/batched.ts";
import type { LockMode, Transaction } from "../../platform/database/database.ts";
import { limitOf } from "../record/call-price.ts";
import { insertEvents, lockCalls, readEvents, updateCall, type LegIdentity } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { deriveOutcome, type Fact, type Outcome } from "./derive-outcome.ts";
import { isArchivable } from "./archive-events.ts";
import { factOf, type NewEvent } from "./call-event.ts";
import { legChanges, ownsLeg, type LegChanges } from "./call-legs.ts";
import { progressChanges, routeChanges } from "./call-changes.ts";
import type { Context } from "../../context.ts";

const MAX_BATCH_SIZE = 50;
/** Two concurrent batches would skip each other's locked calls. */
const MAX_BATCHES = 1;
const MAX_QUEUED = 5_000;

const NONE = { events: [], legs: {} };

/** An event to append to a call. */
interface CallEvent {
  readonly callId: string;
  readonly event: NewEvent;
  /** The event's leg; null for an event of the whole call. An unknown leg is adopted as the call's. */
  readonly identity: LegIdentity | null;
}

export interface AppendResult {
  /** The call's current row. */
  readonly call: CallRow;
  readonly facts: readonly Fact[];
  readonly needsProof: boolean;
  /** Whether the leg belongs to another call or was not commanded. Nothing was changed then. */
  readonly foreignLeg: boolean;
  /** The previous status. Set for only one of the events appended together, so that a change is published once. */
  readonly before: CallStatus | null;
  /** Null if the call is already final. */
  readonly outcome: Outcome | null;
}

/** Stores an event and updates its call to the state derived from all its events; null if there is no such call. */
export type AppendEvent = (event: CallEvent) => Promise<AppendResult | null>;

/** Events waiting at the same moment share a transaction, because a call's events arrive in bursts. */
export function createAppendEvent(ctx: Context): AppendEvent {
  return batched<CallEvent, AppendResult | null>({
    maxBatchSize: MAX_BATCH_SIZE,
    maxConcurrentBatches: MAX_BATCHES,
    maxQueued: MAX_QUEUED,
    keyOf: ({ event }) => event.id,
    run: (requests, lock) => ctx.transaction((tx) => appendEvents(tx, ctx, { requests, lock })),
  });
}

/** @returns the results by event id, without events of calls that the lock mode `skip` left out */
async function appendEvents(
  tx: Transaction,
  ctx: Context,
  { requests, lock }: { requests: readonly CallEvent[]; lock: LockMode },
): Promise<Map<string, AppendResult | null>> {
  const byCall = Map.groupBy(requests, ({ callId }) => callId);
  // With `wait`, a call that is not returned does not exist.
  const answers = new Map<string, AppendResult | null>(lock === "wait" ? requests.map(({ event }) => [event.id, null]) : []);
  for (const call of await lockCalls(tx, [...byCall.keys()], lock)) {
    const events = byCall.get(call.id) ?? [];
    const now = ctx.clock.now();
    // Its earlier events may be in an archive, so that these would not be the whole set.
    const own = isFinal(call.status) && isArchivable(call.id, now) ? NONE : filterOwnEvents(call, events, now);
    const unchanged = { call, facts: [], needsProof: false, before: null, outcome: null };
    for (const { event } of events) answers.set(event.id, { ...unchanged, foreignLeg: true });
    if (own.events.length === 0) continue;
    const known = await appendToCall(tx, ctx, { call, ...own });
    for (const [index, { event }] of own.events.entries())
      answers.set(event.id, { ...known, before: index === 0 ? call.status : null, foreignLeg: false });
  }
  return answers;
}

/** Filters the events of the call's own legs, and collects what they reveal about those legs. */
function filterOwnEvents(call: CallRow, events: readonly CallEvent[], now: Date): { events: CallEvent[]; legs: LegChanges } {
  let legs: LegChanges = {};
  const own = events.filter(({ event, identity }) => {
    if (identity === null) return true;
    const known = { ...call, ...legs };
    if (!ownsLeg(known, identity, event.kind)) return false;
    legs = { ...legs, ...legChanges(known, identity, now) };
    return true;
  });
  return { events: own, legs };
}

async function appendToCall(
  tx: Transaction,
  ctx: Context,
  { call, events, legs }: { call: CallRow; events: readonly CallEvent[]; legs: LegChanges },
): Promise<Omit<AppendResult, "foreignLeg" | "before">> {
  const now = ctx.clock.now();
  await insertEvents(
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
  const updated = await updateCall(tx, call.id, { carrier_cost_micros: outcome.carrierCostMicros, ...route });
  return { call: updated, facts, needsProof: false, outcome: null };
}
