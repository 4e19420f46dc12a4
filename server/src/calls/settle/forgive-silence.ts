import { DAY_MS } from "@farline/domain/durations.ts";
import { isSilenceForgiven } from "@farline/domain/calls/forgiven-silence.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { readPaymentFacts } from "../../risk/risk.ts";
import type { FinalRecord } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { readForgiven, takeForgivingTurn } from "./forgiven-silence.store.ts";

/**
 * Whether the last silence of a call is free, within the budgets of its account, its number and the day. The transaction must have locked
 * the call's account, and must write the record.
 * @param record the call's record if it is
 */
export async function forgives(
  tx: Transaction,
  call: Pick<CallRow, "customer_id" | "destination">,
  { forgiven_micros: micros, ended_at: endedAt }: Pick<FinalRecord, "forgiven_micros" | "ended_at">,
): Promise<boolean> {
  if (micros === null || endedAt === null) return false;
  await takeForgivingTurn(tx);
  const { paidPayments, everDisputed } = await readPaymentFacts(tx, call.customer_id, endedAt);
  const before = await readForgiven(tx, call, new Date(endedAt.getTime() - DAY_MS));
  return isSilenceForgiven(micros, { ...before, hasPaid: paidPayments > 0 && !everDisputed });
}
