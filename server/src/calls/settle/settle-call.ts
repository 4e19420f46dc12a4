import { isFinal } from "@farline/domain/calls/call-state.ts";
import { formatInternational } from "@farline/domain/numbers/phone-number.ts";
import { batched } from "../../platform/database/batched.ts";
import type { LockMode, Transaction } from "../../platform/database/database.ts";
import { priceOf } from "../authorise/call-price.ts";
import type { CallDependencies } from "../call-dependencies.ts";
import { closeCalls, lockCallsAndAccounts, type FinalRecord } from "../call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import type { Outcome } from "./derive-outcome.ts";

const MOST_IN_BATCH = 50;
const MOST_BATCHES = 2;
const MOST_WAITING = 5_000;

/** Charges an ended call or releases its hold, and writes its final record, atomically and once. */
export type SettleCall = (call: CallRow, outcome: Outcome) => Promise<CallRow>;

type Dependencies = Pick<CallDependencies, "handle" | "ledger">;

/** Calls ending at the same moment share a transaction. */
export function createSettleCall(deps: Dependencies): SettleCall {
  const settle = batched<FinalRecord, CallRow>({
    mostInBatch: MOST_IN_BATCH,
    mostBatches: MOST_BATCHES,
    mostWaiting: MOST_WAITING,
    keyOf: ({ id }) => id,
    run: (records, lock) => deps.handle.db.transaction().execute((tx) => settleCalls(tx, deps.ledger, { records, lock })),
  });
  return (call, outcome) => settle(finalRecordOf(call, outcome));
}

/** @returns the calls' current rows by id, without those that the lock mode `skip` left out */
async function settleCalls(
  tx: Transaction,
  ledger: Dependencies["ledger"],
  { records, lock }: { records: readonly FinalRecord[]; lock: LockMode },
): Promise<Map<string, CallRow>> {
  const byId = new Map(records.map((record) => [record.id, record]));
  const calls = await lockCallsAndAccounts(tx, [...byId.keys()], lock);
  // Another instance may have settled a call in the meantime; its result stands.
  const closing = calls.flatMap((call) => {
    const record = isFinal(call.status) ? undefined : byId.get(call.id);
    return record === undefined ? [] : [{ call, record }];
  });
  await ledger.resolveEach(
    tx,
    closing.map(({ call, record }) => ({
      holdId: call.id,
      chargeMicros: record.charge_micros,
      description: `Call to ${formatInternational(call.destination)}`,
    })),
  );
  await closeCalls(
    tx,
    closing.map(({ record }) => record),
  );
  for (const { call, record } of closing) Object.assign(call, record);
  return new Map(calls.map((call) => [call.id, call]));
}

function finalRecordOf(call: CallRow, { status, end, answeredAtMs }: Outcome): FinalRecord {
  if (end === null || !isFinal(status)) throw new Error("Only a call that is over can be settled.");
  const price = priceOf(call, end.durationMs);
  return {
    id: call.id,
    status,
    end_reason: end.reason,
    hung_up_by: end.hungUpBy ?? (wasAskedFor(call, end) ? "caller" : null),
    answered_at: answeredAtMs === null ? null : new Date(answeredAtMs),
    ended_at: new Date(end.atMs),
    duration_ms: end.durationMs,
    billed_seconds: price.billedSeconds,
    charge_micros: price.chargeMicros,
    next_check_at: null,
  };
}

/** Whether the caller ended the call by a command of the service, for which the provider names no side. */
function wasAskedFor(call: CallRow, end: NonNullable<Outcome["end"]>): boolean {
  return end.reason === "hangup" && call.hangup_requested_at !== null && call.hangup_requested_at.getTime() <= end.atMs;
}
