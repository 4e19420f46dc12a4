import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { formatDollars, smallerOf, type Micros } from "@farline/domain/money.ts";
import { readAloneLeft, refuseDone, type Plan, type Verb } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { findInvitation } from "../../promotions/promotions.ts";
import { partiesOf, unspentGift } from "../credit-for-others/book-gift.ts";
import { lockParties } from "../record/lock-parties.ts";
import { lockPayment, readPayment, readPaymentLeft, type Payment } from "../record/payment.store.ts";
import { returnableCredit, readStanding } from "../record/withdrawable.ts";
import { placeRefund } from "./place-refund.ts";
import { isKnownAtProvider, readRefund, type Refund } from "./refund.store.ts";
import { debitRefund } from "./debit-refund.ts";
import { actingAs, type OperatorContext } from "../../context.ts";

type RefundOrder = OperationInput<"refund">;

/**
 * Refunds a payment by an operator's order: books it in the ledger, then sends it through the provider unless the operator has paid it
 * outside. The refund is in its state after the first attempt.
 */
const refundPayment: Verb<"refund", Refund> = {
  plan: planRefund,
  finish: async (ctx, { id, origin }) => {
    if (origin !== "outside") await placeRefund(actingAs(ctx, { kind: "provider" }), id);
    const refund = await readRefund(ctx.handle.db, id);
    if (refund === undefined) throw new Error(`Refund ${id} is gone.`);
    return refund;
  },
  respond: ({ proposal, result }) => ({
    proposal: proposal?.id ?? null,
    failure: result?.status === "failed" ? (result.failure ?? "") : null,
  }),
};

export const refundVerbs = { refund: refundPayment };

/** @throws AppError not_found; conflict if it was not paid, too little of it is left or unspent, or the transfer is known */
async function planRefund(tx: Transaction, ctx: OperatorContext, order: RefundOrder): Promise<Plan<"refund", Refund>> {
  await requirePayment(tx, order.payment);
  const payment = await lockPayment(tx, order.payment);
  const { force, outside, key, again } = order;
  const customerId = payment.customer_id;
  await refuseDone(tx, { action: "refund", customerId }, order);
  const amountMicros = await judgeOrder(tx, ctx, payment, order);
  if (outside !== undefined && (await isKnownAtProvider(tx, outsideId(outside))))
    throw new AppError("conflict", { reason: "operator.transfer_known", params: { transfer: outside } });
  return {
    customerId,
    subject: payment.id,
    moves: { amountMicros, customers: 1 },
    once: { key, again },
    detail: { force, ...(outside === undefined ? {} : { outside }) },
    run: async () => {
      await lockParties(tx, ctx, await partiesOf(tx, payment));
      // Until then, a call or another refund may have taken the credit.
      await judgeOrder(tx, ctx, payment, order);
      const { refund } = await debitRefund(tx, ctx, payment, {
        amountMicros,
        ...(outside === undefined
          ? { origin: "operator" }
          : { origin: "outside", atProvider: { id: outsideId(outside), status: "succeeded" } }),
      });
      return { result: refund, detail: { refund_id: refund.id } };
    },
  };
}

/**
 * Exact under the locks of `lockParties`.
 * @returns the amount to refund
 * @throws AppError conflict as `judgeRefund`, or if some of the amount is spent and the order does not force it
 */
async function judgeOrder(tx: Tx, ctx: OperatorContext, payment: Payment, order: RefundOrder): Promise<Micros> {
  const { amountMicros, spentMicros, unspentMicros, keptMicros } = await judgeRefund(tx, ctx, payment, order.amount ?? null);
  if (spentMicros > 0n && !order.force)
    throw new AppError("conflict", {
      reason: "operator.refund_spent",
      params: { unspent: formatDollars(unspentMicros), kept: formatDollars(keptMicros) },
    });
  return amountMicros;
}

/** What a refund of a payment would take. */
interface Judgement {
  /** What is refunded: the wanted amount, or all that is left. */
  readonly amountMicros: Micros;
  /** Of the payment, not yet returned. */
  readonly leftMicros: Micros;
  /** Free paid credit of the account, less what is withheld for spent bonus, and what is left of it where it was given away. */
  readonly unspentMicros: Micros;
  /** Withheld for spent bonus. */
  readonly keptMicros: Micros;
  /** The part of the amount that is spent: it becomes a debt. */
  readonly spentMicros: Micros;
}

/** @throws AppError conflict if the payment was not paid, is disputed, or less of it is left than wanted */
async function judgeRefund(
  tx: Tx,
  { ledger }: Pick<OperatorContext, "ledger">,
  payment: Payment,
  wantedMicros: Micros | null,
): Promise<Judgement> {
  if (payment.status !== "paid" || payment.payment_intent_id === null)
    throw new AppError("conflict", { reason: "operator.refund_unpaid" });
  const { returnableMicros: leftMicros, ownMicros } = await readPaymentLeft(tx, payment);
  if (leftMicros === 0n && payment.disputed_micros > 0n) throw new AppError("conflict", { reason: "operator.refund_disputed" });
  const amountMicros = wantedMicros ?? leftMicros;
  if (amountMicros <= 0n || amountMicros > leftMicros)
    throw new AppError("conflict", { reason: "operator.refund_left", params: { left: formatDollars(leftMicros) } });
  const invitation = await findInvitation(tx, payment.customer_id);
  const standing = await readStanding(tx, ledger, payment.customer_id, invitation);
  const { freeMicros, keptMicros } = returnableCredit(standing, [{ payment, amountMicros }]);
  // A spent gift is not returned from the payer's other payments: their own cards may want them back.
  const unspentMicros = smallerOf(freeMicros, ownMicros) + (await unspentGift(tx, { ledger }, payment));
  const spentMicros = amountMicros > unspentMicros ? amountMicros - unspentMicros : 0n;
  return { amountMicros, leftMicros, unspentMicros, keptMicros, spentMicros };
}

/**
 * What a refund would do, without doing it.
 * @param query.amountMicros null: the rest of the payment
 * @throws AppError not_found; conflict if nothing of it, or less than this, can be refunded
 */
export async function previewRefund(
  ctx: OperatorContext,
  query: { readonly paymentId: string; readonly amountMicros: Micros | null },
): Promise<Judgement & { readonly payment: Payment; readonly aloneMicros: Micros }> {
  const { db } = ctx.handle;
  const payment = await requirePayment(db, query.paymentId);
  const judgement = await judgeRefund(db, ctx, payment, query.amountMicros);
  return { ...judgement, payment, aloneMicros: await readAloneLeft(db, ctx, payment.customer_id) };
}

async function requirePayment(tx: Tx, id: string): Promise<Payment> {
  const payment = isUuid(id) ? await readPayment(tx, id) : undefined;
  if (payment === undefined) throw new AppError("not_found", { reason: "operator.no_payment", params: { payment: id } });
  return payment;
}

/** Stored instead of the provider's refund id. */
function outsideId(reference: string): string {
  return `outside ${reference}`;
}
