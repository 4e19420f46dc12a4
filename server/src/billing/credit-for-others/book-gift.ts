import { GUEST_GIFTS, type GuestGiftFacts, isHeldBack } from "@farline/domain/business/guest-gifts.ts";
import { firstNameOf } from "@farline/domain/business/passed-on-text.ts";
import type { Micros } from "@farline/domain/money.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { findCustomer } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { GIFT_DESCRIPTIONS } from "../record/entry-subject.ts";
import { type Payment, readPaymentLeft } from "../record/payment.store.ts";
import { readStanding, withdrawable } from "../record/withdrawable.ts";
import type { Context } from "../../context.ts";
import { decideGift, findGiftOfPayment, holdGift, readGuestGifts, type CreditGift } from "./gift.store.ts";

const sentKey = (gift: CreditGift) => `gift:${gift.id}`;
const receivedKey = (gift: CreditGift) => `gift-received:${gift.id}`;

/** The customers whom a payment concerns: who paid, and for whom. */
export async function partiesOf(tx: Tx, payment: Payment): Promise<[string, ...string[]]> {
  const gift = await findGiftOfPayment(tx, payment.id);
  return gift === undefined ? [payment.customer_id] : [payment.customer_id, gift.beneficiary_id];
}

/**
 * Moves the credit of a payment that has just been booked to the person it was bought for, unless it comes from a guest and waits first. It
 * stays with the payer if either account is locked or leaving, or if a debt has used it. Requires the locks of `lockParties` with both.
 */
export async function giveBookedCredit(
  tx: Transaction,
  ctx: Context,
  gift: CreditGift,
  card: Pick<GuestGiftFacts, "authenticated" | "othersWithCard">,
): Promise<void> {
  if (gift.state !== "ordered") return;
  const { beneficiary_id: beneficiaryId, payer_id: payerId } = gift;
  const now = ctx.clock.now();
  if ((await findCustomer(tx, payerId))?.isGuest === true) {
    const { otherGuests } = await readGuestGifts(tx, beneficiaryId, now, payerId);
    if (isHeldBack({ ...card, otherGuests }, ctx.config.limitsScale))
      return holdGift(tx, gift.id, new Date(now.getTime() + GUEST_GIFTS.heldForMs));
  }
  await giveCredit(tx, ctx, gift);
}

/** Moves the credit of a gift now, or leaves it with its payer. Requires the locks of `lockParties` with both. */
export async function giveCredit(tx: Transaction, ctx: Context, gift: CreditGift): Promise<void> {
  const now = ctx.clock.now();
  const { payer_id: payerId, beneficiary_id: beneficiaryId, amount_micros: amountMicros } = gift;
  const [payer, beneficiary] = [await findCustomer(tx, payerId), await findCustomer(tx, beneficiaryId)];
  const { withdrawableMicros } = await ctx.ledger.balance(tx, payerId);
  const isOpen = [payer, beneficiary].every((one) => one?.status === "active");
  if (payer === undefined || beneficiary === undefined || !isOpen || withdrawableMicros < amountMicros)
    return decideGift(tx, gift.id, "kept", now);
  await ctx.ledger.giveCredit(tx, {
    key: sentKey(gift),
    receivedKey: receivedKey(gift),
    customerId: payerId,
    beneficiaryId,
    amountMicros,
    referenceId: gift.id,
    description: GIFT_DESCRIPTIONS.given,
  });
  await decideGift(tx, gift.id, "given", now);
  await enqueueMail(tx, {
    template: "credit_received",
    data: {
      name: beneficiary.name,
      from: firstNameOf(payer.name),
      amount: toDecimalString(amountMicros),
      greeting: gift.greeting,
    },
    to: beneficiary.email,
    language: beneficiary.language,
    key: `credit_received ${gift.id}`,
    at: now,
  });
}

/** The part of a payment that was given away and is neither spent nor held by a call: it can still go back to the card. */
export async function unspentGift(tx: Tx, { ledger }: Pick<Context, "ledger">, payment: Payment): Promise<Micros> {
  const gift = await findGiftOfPayment(tx, payment.id);
  return gift?.state === "given" ? ledger.giftLeft(tx, receivedKey(gift)) : 0n;
}

/**
 * What went and goes back to the card of a payment whose credit a guest kept: all that no debt took. Reads without locks, so it may change.
 */
export async function readGoesBack(tx: Tx, { ledger }: Pick<Context, "ledger">, payment: Payment): Promise<Micros> {
  const standing = await readStanding(tx, ledger, payment.customer_id, null);
  const { maxMicros } = withdrawable(standing, [await readPaymentLeft(tx, payment)]);
  return payment.charge_micros - payment.stayed_micros + maxMicros;
}

/**
 * Takes the unspent part of a given payment back into the payer's account before money leaves it, at most the amount. What was spent is the
 * payer's debt, as with any refund of spent credit. Requires the locks of `lockParties` with both.
 * @param cause unique for the refund or dispute
 */
export async function takeBackGift(
  tx: Transaction,
  ctx: Context,
  payment: Payment,
  { amountMicros, cause }: { readonly amountMicros: Micros; readonly cause: string },
): Promise<void> {
  const gift = await findGiftOfPayment(tx, payment.id);
  if (gift?.state !== "given") return;
  await ctx.ledger.returnGift(tx, {
    key: `gift-taken:${cause}`,
    returnedKey: `gift-back:${cause}`,
    receivedKey: receivedKey(gift),
    customerId: gift.beneficiary_id,
    payerId: gift.payer_id,
    amountMicros,
    referenceId: gift.id,
    description: GIFT_DESCRIPTIONS.returned,
  });
}
