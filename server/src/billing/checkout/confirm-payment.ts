import { firstNameOf } from "@farline/domain/business/passed-on-text.ts";
import type { GuestOutcome } from "@farline/contract/gifts/gifts.ts";
import { findCustomer } from "../../accounts/accounts.ts";
import type { ConfirmRequest, ConfirmResponse } from "@farline/contract/billing.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { AppError } from "../../platform/app-error.ts";
import type { PaymentStatus } from "@farline/contract/operator/constants.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { markReceipts } from "../documents/mark-receipts.ts";
import { issuePaymentReceipt } from "../documents/issue-receipts.ts";
import { findNamedGift } from "../credit-for-others/gift.store.ts";
import { readGoesBack } from "../credit-for-others/book-gift.ts";
import { problemOf } from "./payment-problem.ts";
import { fromMinorUnits } from "../record/cents.ts";
import { findPaymentBySession, type Payment, readPayment } from "../record/payment.store.ts";
import type { Context, ServiceContext } from "../../context.ts";
import { DEFAULT_SETTINGS } from "../cards/auto-top-up-rules.ts";
import { readAutoTopUp } from "../cards/auto-top-up.store.ts";

/** Payments made with low credit, the first payment excluded. */
const LOW_TIMES = 2;
const MARK_WITHIN_MS = 2_000;

/** The status shown to the customer: a payment under review appears as in progress. */
const SHOWN_STATUS: Record<PaymentStatus, ConfirmResponse["status"]> = {
  created: "open",
  open: "open",
  pending: "pending",
  review: "open",
  paid: "paid",
  failed: "failed",
  expired: "expired",
};

/**
 * Reads a payment's state for the success page, and checks it at Stripe while it is open.
 * @throws AppError not_found, also for another customer's payment
 */
export async function confirmPayment(ctx: ServiceContext, customerId: string, request: ConfirmRequest): Promise<ConfirmResponse> {
  const { db } = ctx.handle;
  const known = await ("payment_id" in request
    ? readPayment(db, request.payment_id)
    : findPaymentBySession(db, request.session_id));
  if (known === undefined || known.customer_id !== customerId) throw new AppError("not_found", { reason: "payment_unknown" });
  const payment = known.status === "paid" ? known : await convergeOrKeep(ctx, known);
  const receiptId = payment.receipt_id ?? (await issueOrRetryLater(ctx, payment));
  const { balanceMicros } = await ctx.ledger.balance(db, customerId);
  const gift = await findNamedGift(db, payment.id);
  return {
    status: SHOWN_STATUS[payment.status],
    amount: toDecimalString(payment.charge_micros + payment.bonus_micros),
    paid: toDecimalString(payment.charge_micros),
    balance: toDecimalString(balanceMicros),
    currency: "USD",
    problem: problemOf(payment),
    presented: presentedAmount(payment),
    receipt_id: receiptId,
    suggests_auto_top_up: gift === undefined && (await suggestsAutoTopUp(ctx, payment)),
    gift: gift === undefined ? null : { name: firstNameOf(gift.other_name), is_given: gift.state === "given" },
  };
}

/**
 * `confirmPayment` for a guest, whom only the provider's session identifies: it says nothing that its payer does not know.
 * @throws AppError not_found, also for a customer's payment
 */
export async function confirmGuestPayment(ctx: ServiceContext, sessionId: string): Promise<GuestOutcome> {
  const { db } = ctx.handle;
  const known = await findPaymentBySession(db, sessionId);
  const payer = known === undefined ? undefined : await findCustomer(db, known.customer_id);
  if (known === undefined || payer?.isGuest !== true) throw new AppError("not_found", { reason: "payment_unknown" });
  const payment = known.status === "paid" ? known : await convergeOrKeep(ctx, known);
  if (payment.receipt_id === null) await issueOrRetryLater(ctx, payment);
  const gift = await findNamedGift(db, payment.id);
  return {
    status: SHOWN_STATUS[payment.status],
    name: firstNameOf(gift?.other_name ?? ""),
    amount: toDecimalString(payment.charge_micros),
    credit: gift === undefined || gift.state === "ordered" ? null : gift.state,
    due_at: gift?.state === "held" ? (gift.due_at?.toISOString() ?? null) : null,
    goes_back: gift?.state === "kept" ? toDecimalString(await readGoesBack(db, ctx, payment)) : null,
  };
}

function presentedAmount({ presented_amount: amount, presented_currency: currency }: Payment): ConfirmResponse["presented"] {
  if (amount === null || currency === null) return null;
  return { amount: fromMinorUnits(amount, currency), currency: currency.toUpperCase() };
}

/** If Stripe is unreachable, returns the stored state; the poller completes the payment. */
async function convergeOrKeep(ctx: ServiceContext, payment: Payment): Promise<Payment> {
  try {
    return await convergePayment(ctx, payment.id);
  } catch (error) {
    ctx.log.warn({ err: error, payment_id: payment.id }, "payment not checked");
    return payment;
  }
}

/** Issues the receipt; if that fails or the provider is slow to keep its number, the job retries, because the credit does not depend on it. */
async function issueOrRetryLater(ctx: ServiceContext, payment: Payment): Promise<string | null> {
  if (payment.status !== "paid") return null;
  try {
    const receiptId = await issuePaymentReceipt(ctx, payment.id);
    if (receiptId === null) return null;
    const marked = markReceipts(ctx, new AbortController().signal, receiptId).then(() => true);
    return (await settleWithin(marked, MARK_WITHIN_MS, () => false)) ? receiptId : null;
  } catch (error) {
    ctx.log.warn({ err: error, payment_id: payment.id }, "receipt left to the job");
    return null;
  }
}

/**
 * Whether to suggest automatic top-up after this payment: once per account, to customers who never had it, after the second payment
 * made with credit below the default threshold.
 */
async function suggestsAutoTopUp(ctx: Context, payment: Payment): Promise<boolean> {
  const { db } = ctx.handle;
  if (payment.status !== "paid") return false;
  const belowMicros = DEFAULT_SETTINGS.thresholdMicros;
  const low = await ctx.ledger.lowTopUps(db, payment.customer_id, { belowMicros, limit: LOW_TIMES });
  return low[LOW_TIMES - 1] === payment.id && (await readAutoTopUp(db, payment.customer_id)) === undefined;
}
