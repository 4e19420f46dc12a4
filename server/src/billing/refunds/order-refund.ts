import { isUuid } from "@farline/domain/uuid.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { moveMoney, resultOf, type Moved } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { findInvitation } from "../../promotions/promotions.ts";
import { lockParties } from "../record/lock-parties.ts";
import { lockPayment, readPayment } from "../record/payment.store.ts";
import { returnableCredit, readStanding } from "../record/withdrawable.ts";
import { placeRefund } from "./place-refund.ts";
import { isKnownAtProvider, readRefund, type Refund } from "./refund.store.ts";
import { debitRefund } from "./debit-refund.ts";
import { actingAs, type OperatorContext } from "../../context.ts";

/** An operator's refund order. */
export interface RefundOrder {
  readonly paymentId: string;
  /** Null: the rest of the payment. */
  readonly amountMicros: Micros | null;
  /** Whether it may exceed the unspent part; the excess becomes a debt. */
  readonly force: boolean;
  /**
   * The reference of a transfer that the operator has made outside the provider, for payments whose method cannot be refunded. The refund
   * is booked but not sent. Each reference can be used once.
   */
  readonly outside?: string;
  readonly reason: string;
  /** Another operator's proposal for this refund. */
  readonly confirms?: string;
}

/**
 * Refunds a payment by an operator's order: books it in the ledger and the audit log, then sends it through the provider unless it was
 * paid outside.
 * @returns the refund in its state after the first attempt
 * @throws AppError not_found; conflict if it was not paid, too little of it is left or unspent, a second operator is required, or this
 * one may not confirm
 */
export async function orderRefund(ctx: OperatorContext, order: RefundOrder): Promise<Refund> {
  const { db } = ctx.handle;
  if (!isUuid(order.paymentId) || (await readPayment(db, order.paymentId)) === undefined)
    throw new AppError("not_found", { reason: "operator.no_payment", params: { payment: order.paymentId } });
  const { id } = resultOf(await ctx.transaction((tx) => take(tx, ctx, order)));
  if (order.outside === undefined) await placeRefund(actingAs(ctx, { kind: "provider" }), id);
  const refund = await readRefund(db, id);
  if (refund === undefined) throw new Error(`Refund ${id} is gone.`);
  return refund;
}

async function take(tx: Transaction, ctx: OperatorContext, order: RefundOrder): Promise<Moved<Refund>> {
  const payment = await lockPayment(tx, order.paymentId);
  if (payment.status !== "paid" || payment.payment_intent_id === null)
    throw new AppError("conflict", { reason: "operator.refund_unpaid" });
  if (payment.disputed_micros > 0n) throw new AppError("conflict", { reason: "operator.refund_disputed" });
  const leftMicros = payment.charge_micros - payment.refunded_micros;
  const amountMicros = order.amountMicros ?? leftMicros;
  if (amountMicros <= 0n || amountMicros > leftMicros)
    throw new AppError("conflict", { reason: "operator.refund_left", params: { left: formatDollars(leftMicros) } });
  const invitation = await findInvitation(tx, payment.customer_id);
  const standing = await readStanding(tx, ctx.ledger, payment.customer_id, invitation);
  const { freeMicros: unspent, keptMicros } = returnableCredit(standing, [{ payment, amountMicros }]);
  if (amountMicros > unspent && !order.force)
    throw new AppError("conflict", {
      reason: "operator.refund_spent",
      params: { unspent: formatDollars(unspent), kept: formatDollars(keptMicros) },
    });
  const { reason, force, outside, confirms = null } = order;
  if (outside !== undefined && (await isKnownAtProvider(tx, outsideId(outside))))
    throw new AppError("conflict", { reason: "operator.transfer_known", params: { transfer: outside } });
  const [customerId, subject] = [payment.customer_id, payment.id];
  const operation = {
    action: "refund",
    customerId,
    subject,
    amountMicros,
    reason,
    detail: { force, ...(outside === undefined ? {} : { outside }) },
    confirms,
  } as const;
  return moveMoney(tx, ctx, operation, async () => {
    await lockParties(tx, ctx, customerId);
    const { refund } = await debitRefund(tx, ctx, payment, {
      amountMicros,
      ...(outside === undefined
        ? { origin: "operator" }
        : { origin: "outside", atProvider: { id: outsideId(outside), status: "succeeded" } }),
    });
    return { result: refund, detail: { refund_id: refund.id } };
  });
}

/** Stored instead of the provider's refund id. */
function outsideId(reference: string): string {
  return `outside ${reference}`;
}
