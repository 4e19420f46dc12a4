import type { Micros } from "@farline/domain/money.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { referralRules } from "../promotion-limits.ts";
import { lockReferral, readReferral, refuseReturned, saveReferral, type Referral } from "./referral.store.ts";

/** An invitation's rewards to both sides, while they may be taken back. */
export interface Invitation {
  readonly paymentId: string;
  readonly inviterId: string;
  readonly invitedMicros: Micros;
  readonly inviterMicros: Micros;
}

/** The invitation by which a customer came, if it was rewarded. */
export async function findInvitation(tx: Tx, invitedId: string): Promise<Invitation | null> {
  return rewardedInvitation(await readReferral(tx, invitedId));
}

/**
 * Like `findInvitation`, but locks it until the transaction ends, rewarded or not.
 * @returns also the inviter, from whom a reward may be taken, or to whom it may be returned
 */
export async function lockInvitation(
  tx: Transaction,
  invitedId: string,
): Promise<{ readonly invitation: Invitation | null; readonly inviterId: string | null }> {
  const referral = await lockReferral(tx, invitedId);
  const hasBookings = referral?.state === "rewarded" || referral?.state === "taken_back";
  return { invitation: rewardedInvitation(referral), inviterId: hasBookings ? referral.inviter_id : null };
}

function rewardedInvitation(referral: Referral | undefined): Invitation | null {
  if (referral === undefined || referral.state !== "rewarded" || referral.payment_id === null) return null;
  return {
    paymentId: referral.payment_id,
    inviterId: referral.inviter_id,
    invitedMicros: referral.invited_bonus_micros,
    inviterMicros: referral.inviter_bonus_micros,
  };
}

/** Whether the remaining part of a payment is too small for an invitation reward. */
export function endsReward(leftMicros: Micros): boolean {
  return leftMicros < referralRules.minMicros;
}

/**
 * Refuses an invitation's reward, or takes it back from both customers, if too little of the payment is left. The invited
 * customer pays for what the inviter has spent. Requires the locks of `lockInvitation` and of both accounts.
 * @param returned.leftMicros the part of the payment that is not returned
 * @param returned.cause what returns it; unique
 */
export async function revokeReferralReward(
  tx: Transaction,
  ledger: Ledger,
  returned: { paymentId: string; customerId: string; leftMicros: Micros; cause: string; now: Date },
): Promise<void> {
  const { paymentId, customerId, leftMicros, cause, now } = returned;
  if (!endsReward(leftMicros)) return;
  await refuseReturned(tx, { paymentId, now });
  const referral = await lockReferral(tx, customerId);
  if (referral?.state !== "rewarded" || referral.payment_id !== paymentId) return;
  await takeBack(tx, ledger, referral, cause);
}

/** Posting keys of a reward taken back for this cause. */
const keysOf = (invitedId: string, cause: string) => ({
  inviter: `referral-back:${invitedId}:inviter:${cause}`,
  invited: `referral-back:${invitedId}:invited:${cause}`,
});

async function takeBack(tx: Tx, ledger: Ledger, referral: Referral, cause: string): Promise<void> {
  const { invited_id: invitedId, inviter_id: inviterId, inviter_bonus_micros: inviterMicros } = referral;
  const keys = keysOf(invitedId, cause);
  const posting = { referenceId: invitedId, description: "Bonus taken back" };
  const inviterSide = { ...posting, key: keys.inviter, customerId: inviterId, kind: "bonus" as const };
  const spentMicros =
    inviterMicros === 0n ? 0n : (await ledger.reverse(tx, { ...inviterSide, amountMicros: inviterMicros })).shortfallMicros;
  const amountMicros = referral.invited_bonus_micros + spentMicros;
  if (amountMicros > 0n) await ledger.returnBonus(tx, { ...posting, key: keys.invited, customerId: invitedId, amountMicros });
  await saveReferral(tx, invitedId, { state: "taken_back", taken_for: cause, next_look_at: null });
}

/**
 * Reverses `revokeReferralReward` once enough of the payment is back because a return failed: both customers get what they
 * lost. An invitation that was refused for it is decided again. Requires the same locks.
 */
export async function returnReferralReward(
  tx: Transaction,
  ledger: Ledger,
  stayed: { paymentId: string; customerId: string; leftMicros: Micros; now: Date },
): Promise<void> {
  const { paymentId, customerId: invitedId, leftMicros, now } = stayed;
  if (endsReward(leftMicros)) return;
  const referral = await lockReferral(tx, invitedId);
  if (referral?.payment_id !== paymentId) return;
  if (referral.state === "refused" && referral.refusal === "returned")
    return saveReferral(tx, invitedId, { state: "invited", refusal: null, next_look_at: now, decided_at: null });
  if (referral.state !== "taken_back" || referral.taken_for === null) return;
  const { inviter_bonus_micros: inviterMicros, invited_bonus_micros: invitedMicros, taken_for: cause } = referral;
  const keys = keysOf(invitedId, cause);
  const taken = [...(inviterMicros > 0n ? [keys.inviter] : []), ...(invitedMicros > 0n ? [keys.invited] : [])];
  for (const key of taken) await ledger.restore(tx, { key: `${key}:returned`, restoredKey: key, description: "Bonus returned" });
  await saveReferral(tx, invitedId, { state: "rewarded", taken_for: null });
}
