import type { Micros } from "@farline/domain/money.ts";
import type { Tx } from "../platform/database/database.ts";
import { notePaid } from "./referral/referral.store.ts";

/** Records a credited payment, in this transaction; jobs decide its rewards soon after. */
export async function notePayment(
  tx: Tx,
  paid: { paymentId: string; customerId: string; paidMicros: Micros; cardShared: boolean; now: Date },
): Promise<void> {
  const { customerId: invitedId, paymentId, paidMicros, cardShared, now } = paid;
  await notePaid(tx, { invitedId, paymentId, paidMicros, cardShared, now });
}
