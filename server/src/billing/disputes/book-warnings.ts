import { smallerOf } from "@farline/domain/money.ts";
import type Stripe from "stripe";
import { freezeForReview } from "../../accounts/accounts.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { namePayment, readPaymentLeft, type Payment } from "../record/payment.store.ts";
import { partiesOf, unspentGift } from "../credit-for-others/book-gift.ts";
import { debitRefund } from "../refunds/debit-refund.ts";
import { insertWarning, warningIsKnown } from "../record/dispute.store.ts";
import type { Context } from "../../context.ts";

/** A payment with at least this share unspent is refunded immediately, to avoid the dispute that would follow. */
const REFUND_FROM_PERCENT = 80n;

/**
 * Books fraud warnings by the card network: freezes the account, and refunds the payment if most of it is unspent; otherwise an operator
 * decides. Requires the payment's lock.
 * @returns the refunds to place after the commit
 */
export async function bookWarnings(
  tx: Transaction,
  ctx: Context,
  payment: Payment,
  providerWarnings: readonly Stripe.Radar.EarlyFraudWarning[],
): Promise<{ payment: Payment; moved: boolean; ordered: string[] }> {
  const result = { payment, moved: false, ordered: [] as string[] };
  for (const warning of providerWarnings) {
    if (await warningIsKnown(tx, warning.id)) continue;
    const at = ctx.clock.now();
    for (const customerId of await partiesOf(tx, payment))
      await freezeForReview(tx, {
        customerId,
        because: "payment",
        reason: `${namePayment(payment)} was reported as fraud.`,
        at,
      });
    const decision = await decide(tx, ctx, result.payment, warning);
    if (decision === "refunded") {
      const { returnableMicros: amountMicros } = await readPaymentLeft(tx, result.payment);
      const taken = await debitRefund(tx, ctx, result.payment, { origin: "fraud_warning", amountMicros });
      result.payment = taken.payment;
      result.ordered.push(taken.refund.id);
    }
    result.moved = true;
    await insertWarning(tx, {
      id: warning.id,
      payment_id: payment.id,
      fraud_type: warning.fraud_type,
      decision,
      created_at: at,
    });
    ctx.log.error({ payment_id: payment.id, warning_id: warning.id, decision }, "payment reported as fraud");
  }
  return result;
}

async function decide(
  tx: Tx,
  ctx: Context,
  payment: Payment,
  warning: Stripe.Radar.EarlyFraudWarning,
): Promise<"refunded" | "review" | "none"> {
  const { returnableMicros: left, ownMicros } = await readPaymentLeft(tx, payment);
  // It was refunded or disputed in the meantime, according to the provider.
  if (!warning.actionable || left <= 0n) return "none";
  const { withdrawableMicros } = await ctx.ledger.balance(tx, payment.customer_id);
  const unspent = smallerOf(withdrawableMicros, ownMicros) + (await unspentGift(tx, ctx, payment));
  return unspent * 100n >= left * REFUND_FROM_PERCENT ? "refunded" : "review";
}
