import type { CheckoutResponse } from "@farline/contract/billing.ts";
import { MAX_GREETING_CHARS, readPassedOn } from "@farline/domain/business/passed-on-text.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { guestGiftRefusal, GUEST_GIFTS } from "@farline/domain/business/guest-gifts.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import type { Language } from "@farline/contract/languages.ts";
import { createHash } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { findOrInsertGuest } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { ServiceContext } from "../../context.ts";
import { startCheckout } from "./start-checkout.ts";
import { lockPaymentsOf, type Payer, type Payment } from "../record/payment.store.ts";
import { openCreditRequest } from "../credit-for-others/credit-request.ts";
import { countGiftsSince, insertGift, readGuestGifts } from "../credit-for-others/gift.store.ts";

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

interface Guest {
  readonly name: string;
  readonly email: string;
  readonly language: Language;
}

/**
 * `orderGift` for somebody without an account, known by an address that nobody has confirmed. What guests pay is bounded by rules of its
 * own (`GUEST_GIFTS`), and never becomes money for the receiver.
 * @throws AppError as `orderGift`; top_up_limit_reached for more than a guest may pay, or than one customer may receive from guests
 */
export async function orderGuestGift(ctx: ServiceContext, guest: Guest, order: GiftOrder): Promise<CheckoutResponse> {
  const beneficiary = await openCreditRequest(ctx, order.token);
  const payer = await findOrInsertGuest(ctx.handle.db, { id: uuidv7(), createdAt: ctx.clock.now(), ...guest });
  await ctx.ledger.openAccount(ctx.handle.db, payer.id);
  return placeGift(ctx, payer, { order, beneficiary });
}

/**
 * Starts the payment of credit for somebody else, by a link that person made. The payment, its receipt, limits, refunds and disputes are the
 * payer's; no bonus and no promo code come with it.
 * @throws AppError link_expired; forbidden for an unconfirmed address; validation_failed for the own link or a greeting with an address;
 * rate_limited; and as `startCheckout`
 */
export async function orderGift(ctx: ServiceContext, payer: Payer, order: GiftOrder): Promise<CheckoutResponse> {
  if (!payer.emailVerified) throw new AppError("forbidden", { reason: "gift_unverified" });
  return placeGift(ctx, payer, { order, beneficiary: await openCreditRequest(ctx, order.token) });
}

async function placeGift(
  ctx: ServiceContext,
  payer: Payer,
  { order, beneficiary }: { readonly order: GiftOrder; readonly beneficiary: { readonly id: string } },
): Promise<CheckoutResponse> {
  if (beneficiary.id === payer.id) throw new AppError("validation_failed", { reason: "gift_own" });
  const greeting = readPassedOn(order.greeting, MAX_GREETING_CHARS);
  if (greeting === null) throw new AppError("validation_failed", { reason: "gift_greeting", field: "greeting" });
  const { requestKey, amountMicros } = order;
  const attach = async (tx: Transaction, payment: Payment) => {
    if (payer.isGuest === true) await refuseGuest(tx, ctx, { beneficiaryId: beneficiary.id, amountMicros });
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

/** Bounds what guests pay for one customer, one order after the other: the lock is the receiver's, because each guest has their own. */
async function refuseGuest(
  tx: Transaction,
  { clock, config, log }: ServiceContext,
  { beneficiaryId, amountMicros }: { readonly beneficiaryId: string; readonly amountMicros: Micros },
): Promise<void> {
  await lockPaymentsOf(tx, beneficiaryId);
  const received = await readGuestGifts(tx, beneficiaryId, clock.now());
  const refusal = guestGiftRefusal(amountMicros, received, config.limitsScale);
  if (refusal === null) return;
  log.warn({ customer: beneficiaryId, rule: refusal }, "a guest's payment refused by a rule against abuse");
  throw new AppError("top_up_limit_reached", { reason: refusal, params: { most: formatDollars(GUEST_GIFTS.mostMicros) } });
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
