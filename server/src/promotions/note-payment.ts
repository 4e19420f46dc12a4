import type { Micros } from "@farline/domain/money.ts";
import type { Tx } from "../platform/database.ts";
import { noteFirstPayment } from "./first-call/first-call.store.ts";
import { referralRules } from "./promotion-limits.ts";
import { notePaid, noteReturned } from "./referral/referral.store.ts";

/** A payment is credited, in this transaction: what hangs on it is decided soon after by the jobs. */
export async function notePayment(
  tx: Tx,
  paid: { paymentId: string; customerId: string; paidMicros: Micros; cardShared: boolean; now: Date },
): Promise<void> {
  const { customerId: invitedId, paymentId, paidMicros, cardShared, now } = paid;
  await notePaid(tx, { invitedId, paymentId, paidMicros, cardShared, now });
  await noteFirstPayment(tx, invitedId, now);
}

/** Money of a payment goes back, in this transaction. @param returned.leftMicros what of the payment stays here */
export async function noteReturn(tx: Tx, returned: { paymentId: string; leftMicros: Micros; now: Date }): Promise<void> {
  const { paymentId, leftMicros, now } = returned;
  if (leftMicros >= referralRules.leastMicros) return;
  await noteReturned(tx, { paymentId, now, rewardedAfter: new Date(now.getTime() - referralRules.takeBackWithinMs) });
}
