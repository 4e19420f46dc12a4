import { DAY_MS } from "@farline/domain/durations.ts";
import { isSilenceForgiven } from "@farline/domain/calls/forgiven-silence.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { readPaymentFacts } from "../../risk/risk.ts";
import type { FinalRecord } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { readForgivenSilence, lockForgivenSilence } from "./forgiven-silence.store.ts";

/**
 * Whether the silence at the end of a call is free, within the budgets of its account, its number and the day. The transaction must
 * have locked the account that pays, and must write the record.
 * @param record the call's final record if the silence is free
 */
export async function canForgive(
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
