import type { Tx } from "../platform/database.ts";
import type { BillingParts } from "./billing-parts.ts";
import { decidePayment, type PaymentDecision } from "./decide-payment.ts";
import { lockPayment, readPayment, savePayment, type Payment } from "./payment.store.ts";
import { readCheckoutTruth, type CheckoutTruth } from "./read-checkout-truth.ts";

type ConvergeParts = Pick<BillingParts, "handle" | "stripe" | "config" | "clock" | "log" | "ledger">;

/** Others changed the payment while the provider was asked; more often in a row means something is wrong. */
const MOST_ATTEMPTS = 5;

/**
 * Brings a payment to what Stripe says about it now: credit and bonus once, refunds as they are, or its end without
 * payment. The webhook, the success page, the balance and the poller all come here, any number of times, in any order
 * and in parallel; nothing else books card money.
 * @param hint the session to look at when the payment does not know its own yet (the answer to its creation got lost)
 * @returns the payment as it is afterwards
 * @throws whatever Stripe or the database answer; nothing is half done then
 */
export async function convergePayment(parts: ConvergeParts, paymentId: string, hint?: { sessionId: string }): Promise<Payment> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const before = await readPayment(parts.handle.db, paymentId);
    if (before === undefined) throw new Error(`There is no payment ${paymentId}.`);
    const sessionId = before.session_id ?? hint?.sessionId;
    if (sessionId === undefined) return before;
    const truth = await readCheckoutTruth(parts.stripe, sessionId);
    // A session that only claims to be this payment's must not become its session.
    if (before.session_id === null && truth.paymentId !== paymentId) return before;
    const fresh = await parts.handle.db.transaction().execute((tx) => applyTruth(tx, parts, { before, truth }));
    if (fresh) return (await readPayment(parts.handle.db, paymentId)) ?? before;
  }
  throw new Error(`Payment ${paymentId} keeps changing.`);
}

/**
 * @returns false when the refunds changed since `before`: the truth may be older than what is booked, and a refund
 * that failed at the bank makes the refunded sum smaller again, so larger does not mean newer.
 */
async function applyTruth(
  tx: Tx,
  parts: ConvergeParts,
  { before, truth }: { before: Payment; truth: CheckoutTruth },
): Promise<boolean> {
  const payment = await lockPayment(tx, before.id);
  if (payment.refund_version !== before.refund_version) return false;
  if (payment.session_id !== null && payment.session_id !== truth.sessionId) return false;
  const decision = decidePayment(payment, truth, /^(sk|rk)_live_/.test(parts.config.stripe.secretKey));
  if (decision.problem !== null)
    parts.log.error(
      { payment_id: payment.id, session_id: truth.sessionId, problem: decision.problem },
      "payment does not match its order",
    );
  if (decision.credit) await bookCredit(tx, parts, payment);
  const refundChanged = decision.refundedMicros !== payment.refunded_micros;
  if (refundChanged) await bookRefund(tx, parts, { payment, decision });
  const settles = payment.settled_at === null && decision.status !== "open" && decision.status !== "created";
  await savePayment(tx, payment.id, {
    status: decision.status,
    sessionId: truth.sessionId,
    paymentIntentId: truth.paymentIntentId,
    refundedMicros: decision.refundedMicros,
    refundVersion: payment.refund_version + (refundChanged ? 1 : 0),
    settledAt: settles ? parts.clock.now() : payment.settled_at,
  });
  if (settles) parts.log.info({ payment_id: payment.id, status: decision.status }, "payment settled");
  return true;
}

/** Amounts come from our order alone, never from what the provider repeats of it. */
async function bookCredit(tx: Tx, parts: ConvergeParts, payment: Payment): Promise<void> {
  const shared = { customerId: payment.customer_id, referenceId: payment.id };
  await parts.ledger.credit(tx, {
    ...shared,
    key: `topup:${payment.id}`,
    kind: "top_up",
    amountMicros: payment.charge_micros,
    description: "Top-up by card",
  });
  if (payment.bonus_micros > 0n)
    await parts.ledger.credit(tx, {
      ...shared,
      key: `bonus:${payment.id}`,
      kind: "bonus",
      amountMicros: payment.bonus_micros,
      description: "Bonus credit",
    });
}

/** The bonus goes and comes with its share of the payment. */
async function bookRefund(
  tx: Tx,
  parts: ConvergeParts,
  { payment, decision }: { payment: Payment; decision: PaymentDecision },
): Promise<void> {
  const step = `${payment.id}:${payment.refund_version + 1}`;
  const shared = { customerId: payment.customer_id, referenceId: payment.id };
  const bonusOf = (refunded: bigint) => (payment.bonus_micros * refunded) / payment.charge_micros;
  const refund = decision.refundedMicros - payment.refunded_micros;
  const bonus = bonusOf(decision.refundedMicros) - bonusOf(payment.refunded_micros);
  const { ledger } = parts;
  if (refund < 0n) {
    const description = "Refund that did not reach the card";
    await ledger.credit(tx, { ...shared, key: `refund:${step}`, kind: "adjustment", amountMicros: -refund, description });
    if (bonus < 0n)
      await ledger.credit(tx, { ...shared, key: `refund-bonus:${step}`, kind: "bonus", amountMicros: -bonus, description });
    return;
  }
  const { shortfallMicros } = await ledger.reverse(tx, {
    ...shared,
    key: `refund:${step}`,
    kind: "refund",
    amountMicros: refund,
    description: "Refund to card",
  });
  const taken =
    bonus > 0n
      ? await ledger.reverse(tx, {
          ...shared,
          key: `refund-bonus:${step}`,
          kind: "bonus",
          amountMicros: bonus,
          description: "Bonus of the refunded top-up",
        })
      : { shortfallMicros: 0n };
  const owed = shortfallMicros + taken.shortfallMicros;
  if (owed > 0n) parts.log.warn({ payment_id: payment.id, owed_micros: String(owed) }, "refund of spent credit");
}
