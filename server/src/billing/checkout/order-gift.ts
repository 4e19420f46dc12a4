import type { CheckoutResponse } from "@farline/contract/billing.ts";
import { MAX_GREETING_CHARS, readPassedOn } from "@farline/domain/business/passed-on-text.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Micros } from "@farline/domain/money.ts";
import { createHash } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { ServiceContext } from "../../context.ts";
import { startCheckout } from "./start-checkout.ts";
import type { Payer, Payment } from "../record/payment.store.ts";
import { openCreditRequest } from "../credit-for-others/credit-request.ts";
import { countGiftsSince, insertGift } from "../credit-for-others/gift.store.ts";

/** Orders of gifts by one payer, scaled by LIMITS_SCALE. The payer's own limits of top-ups hold as well. */
const GIFTS_PER_DAY = 5;
const PEOPLE_PER_MONTH = 5;
const MONTH_MS = 30 * DAY_MS;

interface GiftOrder {
  /** Of the link by which somebody asked for credit. */
  readonly token: string;
  readonly amountMicros: Micros;
  readonly greeting: string;
  readonly requestKey: string | null;
}

/**
 * Starts the payment of credit for somebody else, by a link that person made. The payment, its receipt, limits, refunds and disputes are the
 * payer's; no bonus and no promo code come with it.
 * @throws AppError link_expired; forbidden for an unconfirmed address; validation_failed for the own link or a greeting with an address;
 * rate_limited; and as `startCheckout`
 */
export async function orderGift(ctx: ServiceContext, payer: Payer, order: GiftOrder): Promise<CheckoutResponse> {
  if (!payer.emailVerified) throw new AppError("forbidden", { reason: "gift_unverified" });
  const beneficiary = await openCreditRequest(ctx, order.token);
  if (beneficiary.id === payer.id) throw new AppError("validation_failed", { reason: "gift_own" });
  const greeting = readPassedOn(order.greeting, MAX_GREETING_CHARS);
  if (greeting === null) throw new AppError("validation_failed", { reason: "gift_greeting", field: "greeting" });
  const { requestKey, amountMicros } = order;
  const attach = async (tx: Transaction, payment: Payment) => {
    await refuseTooMany(tx, ctx, { payerId: payer.id, beneficiaryId: beneficiary.id });
    await insertGift(tx, {
      id: uuidv7(),
      payment_id: payment.id,
      payer_id: payer.id,
      beneficiary_id: beneficiary.id,
      amount_micros: payment.charge_micros,
      greeting,
      state: "ordered",
      created_at: ctx.clock.now(),
    });
  };
  const credit = {
    kind: "custom",
    packageId: null,
    chargeMicros: amountMicros,
    bonusMicros: 0n,
    promoCode: null,
    card: null,
  } as const;
  return startCheckout(ctx, payer, { order: credit, requestKey: requestKeyOf(requestKey, beneficiary.id), attach });
}

/** A key of a request works for one beneficiary. */
function requestKeyOf(key: string | null, beneficiaryId: string): string | null {
  return key === null ? null : `gift ${beneficiaryId} ${createHash("sha256").update(key).digest("base64url")}`;
}

/** The payments of one payer are locked. */
async function refuseTooMany(
  tx: Transaction,
  { clock, config }: ServiceContext,
  { payerId, beneficiaryId }: { readonly payerId: string; readonly beneficiaryId: string },
): Promise<void> {
  const { limitsScale } = config;
  if (limitsScale === 0) return;
  const now = clock.now().getTime();
  const { gifts } = await countGiftsSince(tx, { payerId, since: new Date(now - DAY_MS) });
  const { others } = await countGiftsSince(tx, { payerId, since: new Date(now - MONTH_MS), exceptFor: beneficiaryId });
  if (gifts < Math.ceil(GIFTS_PER_DAY * limitsScale) && others < Math.ceil(PEOPLE_PER_MONTH * limitsScale)) return;
  throw new AppError("rate_limited", { reason: "gifts_used", retryAfterSeconds: DAY_MS / 1000 });
}
