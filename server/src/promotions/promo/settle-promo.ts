import type { Micros } from "@farline/domain/money.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { deleteGift } from "../gifts/gift.store.ts";
import { takeFromGiftBudget } from "../gifts/gift-budget.ts";
import { promoGiftKey } from "./reserve-promo.ts";
import { judgePromo } from "./judge-promo.ts";
import {
  cardHasUsed,
  countUse,
  findOwnUse,
  grantUse,
  lockCampaign,
  mailboxHasUsed,
  readUse,
  releaseUse,
  type PromoUse,
} from "./promo.store.ts";
import type { Context } from "../../context.ts";

export interface PaidWithPromo {
  readonly paymentId: string;
  readonly chargeMicros: Micros;
  readonly packageId: string | null;
  /** Of the card that paid; null where cards tell nothing. */
  readonly fingerprint: string | null;
  readonly now: Date;
}

/**
 * Settles the code of a payment that is being credited, in that transaction and with the payment's lock.
 * @returns null without a code; else the code and the bonus to be booked: what was promised, or nothing when the same card
 * has had this bonus for another account, or when the promise had been released and cannot be made again
 */
export async function grantPromo(
  tx: Transaction,
  config: Context["config"],
  paid: PaidWithPromo,
): Promise<{ code: string; promisedMicros: Micros; bonusMicros: Micros } | null> {
  const use = await readUse(tx, paid.paymentId);
  if (use === undefined) return null;
  const { code, bonus_micros: promisedMicros } = use;
  const granted = await stillGood(tx, config, paid, use);
  if (granted) await grantUse(tx, use.payment_id, { fingerprint: paid.fingerprint, now: paid.now });
  else await release(tx, use, paid.now);
  return { code, promisedMicros, bonusMicros: granted ? promisedMicros : 0n };
}

/**
 * Releases the reservation of a payment that will not come. No-op without one. Needs the payment's lock,
 * which keeps apart who grants and who releases.
 */
export async function releasePromo(tx: Transaction, paymentId: string, now: Date): Promise<void> {
  const use = await readUse(tx, paymentId);
  if (use !== undefined) await release(tx, use, now);
}

/** Takes the campaign's lock; a released reservation is renewed if still possible. */
async function stillGood(tx: Transaction, config: Context["config"], paid: PaidWithPromo, use: PromoUse): Promise<boolean> {
  const { campaign_id: campaignId, customer_id: customerId } = use;
  const campaign = await lockCampaign(tx, { id: campaignId });
  if (campaign === undefined) throw new Error(`Payment ${paid.paymentId} has a code without a campaign.`);
  if (paid.fingerprint !== null && (await cardHasUsed(tx, { campaignId, fingerprint: paid.fingerprint }))) return false;
  if (await mailboxHasUsed(tx, { campaignId, customerId, states: ["granted"] })) return false;
  if (use.state !== "released") return true;
  const other = await findOwnUse(tx, { campaignId, customerId });
  const judged = judgePromo(campaign, paid, paid.now);
  if (other !== undefined || "refusal" in judged) return false;
  const gift = { key: promoGiftKey(use.payment_id), customerId, kind: "promo", amountMicros: use.bonus_micros } as const;
  if (!(await takeFromGiftBudget(tx, config, { gifts: [gift], now: paid.now }))) return false;
  await countUse(tx, campaignId, { uses: 1, micros: use.bonus_micros });
  return true;
}

async function release(tx: Transaction, use: PromoUse, now: Date): Promise<void> {
  await lockCampaign(tx, { id: use.campaign_id });
  // The change itself decides whether this one counts, however the use was read.
  if (!(await releaseUse(tx, use.payment_id, now))) return;
  await countUse(tx, use.campaign_id, { uses: -1, micros: -use.bonus_micros });
  await deleteGift(tx, promoGiftKey(use.payment_id));
}
