import { DAY_MS } from "@farline/domain/durations.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { autoTopUpRoutes } from "./auto-top-up/auto-top-up-routes.ts";
import { pollCardSetups } from "./cards/converge-card-setup.ts";
import { detachCards } from "./cards/remove-card.ts";
import { watchCredit } from "./auto-top-up/top-up-if-needed.ts";
import { accountRoutes, purchaseRoutes } from "./billing-routes.ts";
import { documentRoutes } from "./documents/document-routes.ts";
import { issueReceipts } from "./documents/issue-receipts.ts";
import { sumBooks } from "./month/month.store.ts";
import { giftRoutes } from "./gift-routes.ts";
import { giveDueCredit } from "./withdrawals/give-due-credit.ts";
import { handleStripeEvent } from "./stripe/handle-stripe-event.ts";
import { pollPayments } from "./checkout/poll-payments.ts";
import { readStripeEvent } from "./stripe/read-stripe-event.ts";
import { reconcileNightly } from "./reconciliation/reconcile-payments.ts";
import { withdrawalRoutes } from "./withdrawals/withdrawal-routes.ts";
import { actingAs, type ServiceContext, type Context } from "../context.ts";
import { forgetUnfinishedSetups } from "./cards/card-setup.store.ts";
import { forgetDeclines } from "./limits/payer-history.store.ts";
import { deleteExpiredRequests } from "./credit-for-others/gift.store.ts";
import { forgetEvents } from "./stripe/stripe-event.store.ts";
import { convergePayment } from "./payments/converge-payment.ts";
import { placeRefund } from "./refunds/place-refund.ts";
import { claimDueRefunds } from "./refunds/refund.store.ts";

export { endCardAccess } from "./cards/remove-card.ts";
export { accountCsv, receiptFiles } from "./documents/statement-files.ts";
export { isMissing, missingPermission } from "./record/provider-refusals.ts";
export { deleteProviderCustomer, createStripe } from "./stripe/create-stripe.ts";
export { HANDLED_EVENTS } from "./stripe/handle-stripe-event.ts";
export { FINAL_STATUSES, isOver, RESTING_STATUSES } from "./record/dispute-stage.ts";
export { readWithdrawable } from "./withdrawals/withdraw-credit.ts";
export { intentOf } from "./month/movement-kind.ts";
export { readMoneyMoved } from "./metrics/billing-metrics.store.ts";
export { monthRoutes } from "./month/month-routes.ts";
export { refundRoutes } from "./refunds/refund-routes.ts";
export { billingMetrics } from "./metrics/billing-metrics.ts";
export {
  latestReconciliation,
  reconciliationMetrics,
  reconcilePayments,
  reconcileVerbs,
  type ReconciliationResult,
} from "./reconciliation/reconcile-payments.ts";
export { monthVerbs } from "./month/close-month.ts";
export { disputeVerbs } from "./disputes/book-disputes.ts";
export { recoverReceipts, type RecoveredReceipts } from "./recovery/recover-receipts.ts";
export { checkRefundsBeforeSending } from "./refunds/refund.store.ts";
export { deleteAllCreditRequests } from "./credit-for-others/gift.store.ts";
export { LONGEST_REFUND_MS, PENDING_REASONS, SLOW_REFUND_MS } from "./record/pending-reason.ts";
export { refundVerbs } from "./refunds/order-refund.ts";

const MAX_PER_RUN = 50;
const MINUTE_S = 60;
/** Delay after the first, second … attempt; the last one repeats. */
const DELAYS_S = [5 * MINUTE_S, 15 * MINUTE_S, 60 * MINUTE_S, 6 * 60 * MINUTE_S];
/** Stripe redelivers events for three days and lists them for thirty. */
const EVENTS_KEPT_DAYS = 35;
/** The limits need two days; fraud reviews need more. */
const DECLINES_KEPT_DAYS = 365;
const UNFINISHED_SETUPS_KEPT_DAYS = 365;
const EVENT_LIMIT_BYTES = 256 * 1024;
const POLL_EVERY_MS = 30_000;
const GIVE_EVERY_MS = 60_000;
/** No event reports credit that falls during a call. */
const WATCH_EVERY_MS = 5_000;
/** The success page issues its payment's receipt; the job covers customers who never return to it, and refunds. */
const ISSUE_EVERY_MS = 5_000;
const RECONCILE_CHECK_EVERY_MS = 10 * 60 * 1000;
/** With ten million calls a month, it takes five hours (docs/operate/growth.md). */
const RECONCILE_WITHIN_MS = 12 * 60 * 60 * 1000;
const SUM_BOOKS_EVERY_MS = 5 * 60 * 1000;
const FORGET_EVERY_MS = 6 * 60 * 60 * 1000;

/**
 * Routes of billing, including the payment provider's webhook.
 * @param intake while it is closed, no card is charged automatically
 */
export function billingRoutes(app: App, ctx: ServiceContext, intake: { readonly closed: boolean }): void {
  accountRoutes(app, ctx);
  purchaseRoutes(app, ctx);
  withdrawalRoutes(app, ctx);
  documentRoutes(app, ctx);
  autoTopUpRoutes(app, ctx, intake);
  giftRoutes(app, ctx);
  webhookRoute(app, actingAs(ctx, { kind: "provider" }));
}

/** Jobs of billing: polling payments, sending refunds, issuing receipts, nightly reconciliation, sums for the books and cleanup. */
export function billingJobs(ctx: ServiceContext): Job[] {
  return [
    { name: "poll-payments", everyMs: POLL_EVERY_MS, run: (signal) => pollPayments(ctx, signal) },
    { name: "watch-credit", everyMs: WATCH_EVERY_MS, run: (signal) => watchCredit(ctx, signal) },
    {
      name: "poll-card-setups",
      everyMs: POLL_EVERY_MS,
      run: async (signal) => {
        await pollCardSetups(ctx, signal);
        await detachCards(ctx, signal);
      },
    },
    { name: "push-refunds", everyMs: POLL_EVERY_MS, run: (signal) => pushRefunds(ctx, signal) },
    { name: "give-due-credit", everyMs: GIVE_EVERY_MS, run: (signal) => giveDueCredit(ctx, signal) },
    { name: "issue-receipts", everyMs: ISSUE_EVERY_MS, run: (signal) => issueReceipts(ctx, signal) },
    {
      name: "reconcile-payments",
      everyMs: RECONCILE_CHECK_EVERY_MS,
      longestRunMs: RECONCILE_WITHIN_MS,
      run: (signal) => reconcileNightly(ctx, signal),
    },
    { name: "sum-books", everyMs: SUM_BOOKS_EVERY_MS, run: (signal) => sumBooks(ctx, signal) },
    { name: "forget-old-records", everyMs: FORGET_EVERY_MS, run: (signal) => forgetOldRecords(ctx, signal) },
  ];
}

function webhookRoute(app: App, ctx: ServiceContext): void {
  serve(app, "POST /api/webhooks/stripe", {
    bodyLimit: EVENT_LIMIT_BYTES,
    handler: async (request) => {
      const event = readStripeEvent(ctx.stripe, {
        body: request.body,
        signature: String(request.headers["stripe-signature"] ?? ""),
        secrets: ctx.config.stripe.webhookSecrets,
        now: ctx.clock.now(),
      });
      await handleStripeEvent(ctx, event);
      return { received: true };
    },
  });
}

/** Job: deletes old provider events, declines, card setups that saved no card, and expired links that ask for credit. */
async function forgetOldRecords(ctx: Context, signal: AbortSignal): Promise<void> {
  const { db } = ctx.handle;
  const before = (days: number) => new Date(ctx.clock.now().getTime() - days * DAY_MS);
  await forgetEvents(db, before(EVENTS_KEPT_DAYS), signal);
  await deleteExpiredRequests(db, ctx.clock.now(), signal);
  await forgetDeclines(db, before(DECLINES_KEPT_DAYS), signal);
  await forgetUnfinishedSetups(db, before(UNFINISHED_SETUPS_KEPT_DAYS), signal);
}

/** Job: sends refunds that may not have reached the provider, and polls those that are pending at a bank. */
async function pushRefunds(ctx: Context, signal: AbortSignal): Promise<void> {
  const due = await claimDueRefunds(ctx.handle.db, { now: ctx.clock.now(), limit: MAX_PER_RUN, delaysSeconds: DELAYS_S });
  for (const refund of due) {
    if (signal.aborted) return;
    if (refund.status === "ordered") await placeRefund(ctx, refund.id);
    else
      await convergePayment(ctx, refund.payment_id, { reversals: ["refunds"] }).catch((error: unknown) =>
        ctx.log.warn({ err: error, refund_id: refund.id }, "refund not checked"),
      );
  }
}
