import type { Micros } from "@farline/domain/money.ts";
import type { Tx } from "../platform/database/database.ts";
import { notePaid } from "./referral/referral.store.ts";

/** A payment is credited, in this transaction: what hangs on it is decided soon after by the jobs. */
export async function notePayment(
  tx: Tx,
  paid: { paymentId: string; customerId: string; paidMicros: Micros; cardShared: boolean; now: Date },
): Promise<void> {
  const { customerId: invitedId, paymentId, paidMicros, cardShared, now } = paid;
  await notePaid(tx, { invitedId, paymentId, paidMicros, cardShared, now });
}
