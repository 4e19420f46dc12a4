import { readPromoCode } from "@farline/domain/typed/typed-codes.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import type { PromoRefusal } from "@farline/contract/promotions.ts";
import type { MessageRef } from "@farline/texts/reason.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { reserveUnpaidFreeCredit } from "../free-credit/free-credit-budget.ts";
import { decidePromo, type PromoOrder } from "./decide-promo.ts";
import { countUse, findOwnUse, insertUse, lockCampaign, mailboxHasUsed, packagePrice, readUse } from "./promo.store.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";

interface PromoToReserve extends PromoOrder {
  readonly paymentId: string;
  readonly customerId: string;
  /** As typed, not empty. */
  readonly typed: string;
  readonly now: Date;
}

/**
 * Reserves a code's bonus for a payment, in the transaction that inserts the payment. The campaign's lock serialises
 * parallel payments, so that no cap can be exceeded.
 * @returns the bonus in micro-dollars; or the customer's own payment that still holds the code and must be closed first
 * @throws AppError promo_refused with the reason in words
 */
export async function reservePromo(
  tx: Transaction,
  config: Context["config"],
  wanted: PromoToReserve,
): Promise<{ readonly bonusMicros: Micros } | { readonly heldBy: string }> {
  const code = readPromoCode(wanted.typed);
  const campaign = code === null ? undefined : await lockCampaign(tx, { code });
  const { customerId, paymentId, now } = wanted;
  if (campaign !== undefined) {
    const own = await findOwnUse(tx, { campaignId: campaign.id, customerId });
    if (own?.state === "granted") throw promoRefused("used_before", {});
    if (own !== undefined) return { heldBy: own.payment_id };
    const states = ["reserved", "granted"] as const;
    if (await mailboxHasUsed(tx, { campaignId: campaign.id, customerId, states })) throw promoRefused("used_before", {});
  }
  const judged = decidePromo(campaign, wanted, now);
  if (campaign === undefined || "refusal" in judged) {
    const refusal = "refusal" in judged ? judged.refusal : "unknown";
    const packageId = campaign?.package_id ?? null;
    const packageMicros = packageId === null ? undefined : await packagePrice(tx, packageId);
    throw promoRefused(refusal, { minMicros: campaign?.least_micros, packageMicros });
  }
  const { bonusMicros } = judged;
  const grant = { key: promoCreditKey(paymentId), customerId, kind: "promo", amountMicros: bonusMicros } as const;
  const refusal = await reserveUnpaidFreeCredit(tx, config, { grant, now });
  if (refusal !== null) throw promoRefused(refusal, {});
  await countUse(tx, campaign.id, { uses: 1, micros: bonusMicros });
  await insertUse(tx, {
    payment_id: paymentId,
    campaign_id: campaign.id,
    customer_id: customerId,
    bonus_micros: bonusMicros,
    card_fingerprint: null,
    created_at: now,
    settled_at: null,
  });
  return { bonusMicros };
}

/** The key of a reserved bonus. */
export function promoCreditKey(paymentId: string): string {
  return `promo:${paymentId}`;
}

/** The code that a payment was started with, in upper case; null for none. */
export async function promoCodeOf(tx: Tx, paymentId: string): Promise<string | null> {
  return (await readUse(tx, paymentId))?.code ?? null;
}

/** Amounts in a refusal's text, in micro-dollars. */
interface PromoBounds {
  readonly minMicros?: bigint | undefined;
  readonly packageMicros?: bigint | undefined;
}

/** The error for a refused code. It stops the purchase, so that nobody pays without the expected bonus. */
function promoRefused(refusal: PromoRefusal, bounds: PromoBounds): AppError {
  return new AppError("promo_refused", { ...textOf(refusal, bounds), field: "promo_code" });
}

function textOf(refusal: PromoRefusal, { minMicros = 0n, packageMicros }: PromoBounds): MessageRef {
  if (refusal === "too_little") return { reason: "promo_too_little", params: { min: formatDollars(minMicros) } };
  if (refusal !== "other_package") return { reason: `promo_${refusal}` };
  if (packageMicros === undefined) return { reason: "promo_of_other_package" };
  return { reason: "promo_of_package", params: { amount: formatDollars(packageMicros) } };
}
