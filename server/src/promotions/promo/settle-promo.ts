import type { Micros } from "@farline/domain/money.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { deleteFreeCredit } from "../free-credit/free-credit.store.ts";
import { reserveFreeCredit } from "../free-credit/free-credit-budget.ts";
import { promoCreditKey } from "./reserve-promo.ts";
import { decidePromo } from "./decide-promo.ts";
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

interface PaidWithPromo {
  readonly paymentId: string;
  readonly chargeMicros: Micros;
  readonly packageId: string | null;
  /** Of the card that paid; null where cards are not compared. */
  readonly fingerprint: string | null;
  readonly now: Date;
}

/**
 * Settles the code of a payment that is being credited, in its transaction and under the payment's lock.
 * @returns null without a code; else the code and the bonus to post: the reserved amount, or zero if the same card
 * has had this bonus for another account, or if the reservation was released and cannot be renewed
 */
export async function grantPromo(
  tx: Transaction,
  config: Context["config"],
  paid: PaidWithPromo,
): Promise<{ code: string; promisedMicros: Micros; bonusMicros: Micros } | null> {
  const use = await readUse(tx, paid.paymentId);
  if (use === undefined) return null;
  const { code, bonus_micros: promisedMicros } = use;
  const granted = await isStillValid(tx, config, paid, use);
  if (granted) await grantUse(tx, use.payment_id, { fingerprint: paid.fingerprint, now: paid.now });
  else await release(tx, use, paid.now);
  return { code, promisedMicros, bonusMicros: granted ? promisedMicros : 0n };
}

/**
 * Releases the reservation of a payment that will not arrive. No-op without one. Requires the payment's lock, so that
 * granting and releasing cannot race.
 */
export async function releasePromo(tx: Transaction, paymentId: string, now: Date): Promise<void> {
  const use = await readUse(tx, paymentId);
  if (use !== undefined) await release(tx, use, now);
}

/** Locks the campaign; renews a released reservation if still possible. */
async function isStillValid(tx: Transaction, config: Context["config"], paid: PaidWithPromo, use: PromoUse): Promise<boolean> {
  const { campaign_id: campaignId, customer_id: customerId } = use;
  const campaign = await lockCampaign(tx, { id: campaignId });
  if (campaign === undefined) throw new Error(`Payment ${paid.paymentId} has a code without a campaign.`);
  if (paid.fingerprint !== null && (await cardHasUsed(tx, { campaignId, fingerprint: paid.fingerprint }))) return false;
  if (await mailboxHasUsed(tx, { campaignId, customerId, states: ["granted"] })) return false;
  if (use.state !== "released") return true;
  const other = await findOwnUse(tx, { campaignId, customerId });
  const judged = decidePromo(campaign, paid, paid.now);
  if (other !== undefined || "refusal" in judged) return false;
  const grant = { key: promoCreditKey(use.payment_id), customerId, kind: "promo", amountMicros: use.bonus_micros } as const;
  if (!(await reserveFreeCredit(tx, config, { grants: [grant], now: paid.now }))) return false;
  await countUse(tx, campaignId, { uses: 1, micros: use.bonus_micros });
  return true;
}

async function release(tx: Transaction, use: PromoUse, now: Date): Promise<void> {
  await lockCampaign(tx, { id: use.campaign_id });
  // The update decides whether this release counts, because the use may have been read without a lock.
  if (!(await releaseUse(tx, use.payment_id, now))) return;
  await countUse(tx, use.campaign_id, { uses: -1, micros: -use.bonus_micros });
  await deleteFreeCredit(tx, promoCreditKey(use.payment_id));
}
