import { DECISION_INPUTS } from "@farline/contract/operator/calls.ts";
import { BLOCK_SECONDS, type CallRefusal } from "@farline/domain/calls/call-refusal.ts";
import { decideCall, type ProposedCall, type CallerCounters } from "@farline/domain/calls/decide-call.ts";
import { uuidv7 } from "uuidv7";
import { toDecimalString } from "@farline/domain/money.ts";
import { batched } from "../../platform/database/batched.ts";
import type { LockMode, Transaction } from "../../platform/database/database.ts";
import { findCallById, holderOf, insertCalls, type CallDraft } from "../record/call.store.ts";
import type { DecisionInputs, NamedInputs } from "../record/call-columns.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { insertBlock, lockCallers } from "./callers.store.ts";
import type { Context } from "../../context.ts";

const MAX_BATCH_SIZE = 50;
const MAX_BATCHES = 2;
const MAX_QUEUED = 2_000;

/** A call to authorise: the row to write, and the inputs of the decision. */
export interface AuthoriseRequest {
  readonly draft: CallDraft;
  readonly proposed: ProposedCall;
}

/** The call (possibly an earlier one with the same idempotency key), the refusal, or neither if the ticket belongs to another call. */
export interface AuthorisationResult {
  readonly call?: CallRow;
  readonly refused?: CallRefusal;
}

/** Decides a call under the locks of its caller's and its payer's account. If it is allowed, holds its credit and writes it, atomically. */
export type Authorise = (request: AuthoriseRequest) => Promise<AuthorisationResult>;

/** Creates the queue in front of `authoriseBatch`: requests that wait at the same moment share a transaction. */
export function createBatchedAuthorise(ctx: Context): Authorise {
  return batched<AuthoriseRequest, AuthorisationResult>({
    maxBatchSize: MAX_BATCH_SIZE,
    maxConcurrentBatches: MAX_BATCHES,
    maxQueued: MAX_QUEUED,
    keyOf: ({ draft }) => draft.customer_id,
    alsoLocks: ({ draft }) => (draft.payer_id === null ? [] : [draft.payer_id]),
    run: (requests, lock) => ctx.transaction((tx) => authoriseBatch(tx, ctx.ledger, { requests, lock })),
  });
}

/**
 * One transaction: locks the accounts, counts, decides each call, inserts the allowed ones and holds their credit.
 * @returns the decisions by customer, without accounts that the lock mode `skip` left out
 */
async function authoriseBatch(
  tx: Transaction,
  ledger: Context["ledger"],
  { requests, lock }: { requests: readonly AuthoriseRequest[]; lock: LockMode },
): Promise<Map<string, AuthorisationResult>> {
  const queries = requests.map(({ draft, proposed }) => ({
    customerId: draft.customer_id,
    payerId: draft.payer_id,
    proposed,
    idempotencyKey: draft.idempotency_key,
    excludedCallId: null,
  }));
  const callers = await lockCallers(tx, queries, lock);
  const answers = new Map<string, AuthorisationResult>();
  const made: CallRow[] = [];
  for (const { draft, proposed } of requests) {
    const caller = callers.get(draft.customer_id);
    if (caller === undefined) continue;
    const known = caller.knownCallId === null ? undefined : await findCallById(tx, caller.knownCallId);
    const decision = known === undefined ? decideCall(proposed, caller.counters) : { known };
    if ("known" in decision) answers.set(draft.customer_id, { call: decision.known });
    else if (decision.refused !== undefined) {
      await blockAfterPattern(tx, draft.customer_id, proposed.at, decision.refused);
      answers.set(draft.customer_id, { refused: decision.refused });
    } else {
      const { capSeconds, holdMicros, boundedBy } = decision.allowed;
      const decidedBy = decisionInputs(proposed, caller.counters);
      const call = { ...draft, cap_seconds: capSeconds, held_micros: holdMicros, bounded_by: boundedBy, decided_by: decidedBy };
      made.push(call);
      answers.set(draft.customer_id, { call });
    }
  }
  const inserted = await insertCalls(tx, made);
  const [allowed, clashing] = [made.filter(({ id }) => inserted.has(id)), made.filter(({ id }) => !inserted.has(id))];
  for (const call of clashing) answers.set(call.customer_id, {});
  await ledger.holdEach(
    tx,
    allowed.map((call) => ({ holdId: call.id, ...holderOf(call), wantMicros: call.held_micros, leastMicros: call.held_micros })),
  );
  return answers;
}

/** Blocks the account temporarily if the refusing rule detects an abuse pattern. */
async function blockAfterPattern(tx: Transaction, customerId: string, at: Date, { rule, inputs }: CallRefusal): Promise<void> {
  const seconds = BLOCK_SECONDS[rule];
  if (seconds === undefined) return;
  await insertBlock(tx, {
    id: uuidv7(),
    customer_id: customerId,
    rule,
    inputs: JSON.stringify(inputs),
    created_at: at,
    blocked_until: new Date(at.getTime() + seconds * 1000),
  });
}

function decisionInputs(call: ProposedCall, caller: CallerCounters): DecisionInputs {
  const dollars = (micros: bigint | null | undefined) =>
    micros === null || micros === undefined ? null : toDecimalString(micros);
  const inputs: NamedInputs = {
    tier: call.tier,
    risk: call.risk,
    available: dollars(caller.balanceMicros - caller.heldMicros),
    bonus: dollars(caller.bonusMicros),
    first_call_left: dollars(caller.grantLeftMicros),
    live_calls: caller.liveCalls,
    calls_in_day: caller.startedAtMs.length,
    same_number_in_hour: caller.sameNumberInHour,
    other_numbers_in_day: caller.otherNumbersInDay,
    other_countries_in_day: caller.otherCountriesInDay,
    short_calls_in_hour: caller.shortCallsInHour,
    spent_in_day: dollars(caller.spentInDayMicros),
    spend_limit_per_day: dollars(call.limits?.spendPerDayMicros),
    own_call_cap: dollars(caller.ownLimits?.call_cap_micros),
    own_daily_cap: dollars(caller.ownLimits?.daily_cap_micros),
  };
  return DECISION_INPUTS.map((name) => inputs[name]);
}
