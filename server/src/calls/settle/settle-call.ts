import { isFinal } from "@farline/domain/calls/call-state.ts";
import { formatInternational } from "@farline/domain/numbers/number-plans.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { isSilenceForgiven } from "@farline/domain/calls/forgiven-silence.ts";
import { batched } from "../../platform/database/batched.ts";
import type { LockMode, Transaction } from "../../platform/database/database.ts";
import { aboutCall } from "../../platform/log.ts";
import { priceOf } from "../record/call-price.ts";
import { closeCalls, lockCallsAndAccounts, type FinalRecord } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { Outcome } from "../events/derive-outcome.ts";
import type { Context } from "../../context.ts";
import { readPaymentFacts } from "../../risk/risk.ts";
import { readForgivenSilence, lockForgivenSilence } from "./settle.store.ts";

const MAX_BATCH_SIZE = 50;
const MAX_BATCHES = 2;
const MAX_QUEUED = 5_000;

/** Charges an ended call or releases its hold, and writes its final record, atomically and once. */
export type SettleCall = (call: CallRow, outcome: Outcome) => Promise<CallRow>;

/** A call's end, before the decision whether its final silence is free. */
interface Settlement {
  readonly id: string;
  readonly charged: FinalRecord;
  /** The record if the silence is free; null without silence. */
  readonly forgiven: FinalRecord | null;
  /** Whether the silence is always free. */
  readonly isOurFault: boolean;
}

/** Calls ending at the same moment share a transaction. Both legs' events of one call share its settlement. */
export function createSettleCall(ctx: Context): SettleCall {
  const settle = batched<Settlement, Settled>({
    maxBatchSize: MAX_BATCH_SIZE,
    maxConcurrentBatches: MAX_BATCHES,
    maxQueued: MAX_QUEUED,
    keyOf: ({ id }) => id,
    run: (settlements, lock) => ctx.transaction((tx) => settleCalls(tx, ctx.ledger, { settlements, lock })),
  });
  const unsettled = new Map<string, Promise<CallRow>>();
  return (call, outcome) => {
    const settled = unsettled.get(call.id) ?? settleLogged(call, outcome).finally(() => unsettled.delete(call.id));
    unsettled.set(call.id, settled);
    return settled;
  };

  async function settleLogged(call: CallRow, outcome: Outcome): Promise<CallRow> {
    const { call: settled, isNew } = await settle(settlementOf(call, outcome));
    if (isNew) aboutCall(settled, () => logSettled(ctx, settled));
    return settled;
  }
}

function logSettled({ log }: Context, { status, end_reason: reason, duration_ms: ms, charge_micros: charge }: CallRow): void {
  log.info({ status, reason, ms, charge_micros: String(charge) }, "call settled");
}

/** A call's final row. Another instance or an earlier event may have settled it. */
interface Settled {
  readonly call: CallRow;
  readonly isNew: boolean;
}

/** @returns the calls' current rows by id, without calls that the lock mode `skip` left out */
async function settleCalls(
  tx: Transaction,
  ledger: Context["ledger"],
  { settlements, lock }: { settlements: readonly Settlement[]; lock: LockMode },
): Promise<Map<string, Settled>> {
  const byId = new Map(settlements.map((settlement) => [settlement.id, settlement]));
  const calls = await lockCallsAndAccounts(tx, [...byId.keys()], lock);
  // Another instance may have settled a call in the meantime; its result stands.
  const closing = calls.flatMap((call) => {
    const settlement = isFinal(call.status) ? undefined : byId.get(call.id);
    return settlement === undefined ? [] : [{ call, settlement }];
  });
  const plain = closing.filter(({ settlement }) => settlement.forgiven === null);
  await close(
    tx,
    ledger,
    plain.map(({ call, settlement }) => ({ call, record: settlement.charged })),
  );
  // Sequentially, because each counts what was forgiven before.
  for (const { call, settlement } of closing) {
    if (settlement.forgiven === null) continue;
    const isFree = settlement.isOurFault || (await canForgive(tx, call, settlement.forgiven));
    await close(tx, ledger, [{ call, record: isFree ? settlement.forgiven : settlement.charged }]);
  }
  const closed = new Set(closing.map(({ call }) => call.id));
  return new Map(calls.map((call) => [call.id, { call, isNew: closed.has(call.id) }]));
}

async function close(
  tx: Transaction,
  ledger: Context["ledger"],
  closing: readonly { call: CallRow; record: FinalRecord }[],
): Promise<void> {
  await ledger.resolveEach(
    tx,
    closing.map(({ call, record }) => ({
      holdId: call.id,
      chargeMicros: record.charge_micros === 0n ? null : record.charge_micros,
      description: chargeDescription(call),
    })),
  );
  await closeCalls(
    tx,
    closing.map(({ record }) => record),
  );
  for (const { call, record } of closing) Object.assign(call, record);
}

/** The account's owner must not learn from its entries whom a member of the family called. */
function chargeDescription(call: CallRow): string {
  return call.payer_id === null ? `Call to ${formatInternational(call.destination)}` : "Call of a family member";
}

function settlementOf(call: CallRow, { status, end, answeredAtMs }: Outcome): Settlement {
  if (end === null || !isFinal(status)) throw new Error("Only a call that is over can be settled.");
  const { silence } = end;
  const recordOf = (durationMs: number, forgivenMicros: bigint | null): FinalRecord => {
    const price = priceOf(call, durationMs);
    return {
      id: call.id,
      status,
      end_reason: end.reason,
      hung_up_by: end.hungUpBy ?? (wasHungUpByCaller(call, end) ? "caller" : null),
      answered_at: answeredAtMs === null ? null : new Date(answeredAtMs),
      ended_at: new Date(end.atMs),
      duration_ms: durationMs,
      billed_seconds: price.billedSeconds,
      charge_micros: price.chargeMicros,
      silent_ms: silence?.ms ?? 0,
      forgiven_micros: forgivenMicros,
      next_check_at: null,
    };
  };
  const charged = recordOf(end.durationMs + (silence?.ms ?? 0), null);
  if (silence === null) return { id: call.id, charged, forgiven: null, isOurFault: false };
  const { isOurFault } = silence;
  const savedMicros = charged.charge_micros - priceOf(call, end.durationMs).chargeMicros;
  return { id: call.id, charged, forgiven: recordOf(end.durationMs, isOurFault ? 0n : savedMicros), isOurFault };
}

/** Whether the caller hung up through the service, in which case the provider names no side. */
function wasHungUpByCaller(call: CallRow, end: NonNullable<Outcome["end"]>): boolean {
  return end.reason === "hangup" && call.hangup_requested_at !== null && call.hangup_requested_at.getTime() <= end.atMs;
}

/**
 * Whether the silence at the end of a call is free, within the budgets of its account, its number and the day. The transaction must
 * have locked the account that pays, and must write the record.
 * @param record the call's final record if the silence is free
 */
async function canForgive(
  tx: Transaction,
  call: Pick<CallRow, "customer_id" | "payer_id" | "destination">,
  { forgiven_micros: micros, ended_at: endedAt }: Pick<FinalRecord, "forgiven_micros" | "ended_at">,
): Promise<boolean> {
  if (micros === null || endedAt === null) return false;
  await lockForgivenSilence(tx);
  const { paidPayments, everDisputed } = await readPaymentFacts(tx, call.payer_id ?? call.customer_id, endedAt);
  const before = await readForgivenSilence(tx, call, new Date(endedAt.getTime() - DAY_MS));
  return isSilenceForgiven(micros, { ...before, hasPaid: paidPayments > 0 && !everDisputed });
}
