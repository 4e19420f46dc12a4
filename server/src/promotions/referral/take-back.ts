import type { Micros } from "@farline/domain/money.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { referralRules } from "../promotion-limits.ts";
import { lockReferral, readReferral, refuseReturned, saveReferral, type Referral } from "./referral.store.ts";

/** What a payment brought to both sides of an invitation, while it may be taken back. */
export interface Invitation {
  readonly paymentId: string;
  readonly inviterId: string;
  readonly invitedMicros: Micros;
  readonly inviterMicros: Micros;
}

/** The invitation by which a customer came, when it was rewarded. */
export async function findInvitation(tx: Tx, invitedId: string): Promise<Invitation | null> {
  return rewardedInvitation(await readReferral(tx, invitedId));
}

/** As `findInvitation`, and locks it until the transaction ends, rewarded or not. */
export async function lockInvitation(tx: Transaction, invitedId: string): Promise<Invitation | null> {
  return rewardedInvitation(await lockReferral(tx, invitedId));
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

/** Whether so much of a payment is too little for the reward of an invitation. */
export function endsReward(leftMicros: Micros): boolean {
  return leftMicros < referralRules.leastMicros;
}

/**
 * Refuses an invitation's reward, or takes it back from both customers, when too little of the payment is left. The invited
 * customer pays for what the inviter has spent. Needs the locks of `lockInvitation` and of both accounts.
 * @param returned.leftMicros the part of the payment that is not returned
 */
export async function revokeReferralReward(
  tx: Transaction,
  ledger: Pick<Ledger, "reverse" | "returnBonus">,
  returned: { paymentId: string; customerId: string; leftMicros: Micros; now: Date },
): Promise<void> {
  const { paymentId, customerId, leftMicros, now } = returned;
  if (!endsReward(leftMicros)) return;
  await refuseReturned(tx, { paymentId, now });
  const referral = await lockReferral(tx, customerId);
  if (referral?.state !== "rewarded" || referral.payment_id !== paymentId) return;
  await takeBack(tx, ledger, referral);
}

async function takeBack(tx: Tx, ledger: Pick<Ledger, "reverse" | "returnBonus">, referral: Referral): Promise<void> {
  const { invited_id: invitedId, inviter_id: inviterId, inviter_bonus_micros: inviterMicros } = referral;
  const posting = { referenceId: invitedId, description: "Bonus taken back" };
  const inviterSide = { ...posting, key: `referral-back:${invitedId}:inviter`, customerId: inviterId, kind: "bonus" as const };
  const spentMicros =
    inviterMicros === 0n ? 0n : (await ledger.reverse(tx, { ...inviterSide, amountMicros: inviterMicros })).shortfallMicros;
  const amountMicros = referral.invited_bonus_micros + spentMicros;
  if (amountMicros > 0n)
    await ledger.returnBonus(tx, { ...posting, key: `referral-back:${invitedId}:invited`, customerId: invitedId, amountMicros });
  await saveReferral(tx, invitedId, { state: "taken_back", next_look_at: null });
}
