import { settleWithin } from "../../platform/settle-within.ts";
import { finishCharge } from "./place-charge.ts";
import { isPastExpiry, nextCheckAt } from "../payments/check-schedule.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { expireUnknown } from "../payments/expire-unknown.ts";
import { claimOpenPayments, duePayments, scheduleCheck, type Payment } from "../record/payment.store.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 50;
const LOOK_AT_MOST = 5;
const LOOK_YOUNGER_THAN_MS = 2 * 60 * 60 * 1000;
/** The provider is asked about one payment at most once in this time. */
const LOOK_PAUSE_MS = 2_000;
/** How long the balance waits for the provider; the check continues without it. */
const LOOK_WAIT_MS = 1_500;

/** Checks every due payment at Stripe, so that a lost webhook does no harm. */
export async function pollPayments(ctx: Context, signal: AbortSignal): Promise<void> {
  const due = await duePayments(ctx.handle.db, ctx.clock.now(), MAX_PER_RUN);
  for (const payment of due) {
    if (signal.aborted) return;
    await pollOne(ctx, payment);
  }
}

async function pollOne(ctx: Context, payment: Payment): Promise<void> {
  const { db } = ctx.handle;
  try {
    if (payment.saved_card_id !== null) await finishCharge(ctx, payment);
    else if (payment.session_id !== null) await convergePayment(ctx, payment.id);
    else if (isPastExpiry(payment, ctx.clock.now())) await expireUnknown(ctx, payment.id);
  } catch (error) {
    ctx.log.warn({ err: error, payment_id: payment.id }, "payment not checked");
  }
  const next = nextCheckAt(payment, ctx.clock.now());
  if (next === null) ctx.log.error({ payment_id: payment.id }, "payment stays undecided");
  await scheduleCheck(db, payment.id, next);
}

/**
 * A quick check of the customer's open payments, so that the balance right after paying is current. A
 * failure only means that it shows later.
 */
export async function refreshOpenPayments(ctx: Context, customerId: string): Promise<void> {
  const claimed = await claimOpenPayments(ctx.handle.db, {
    customerId,
    now: ctx.clock.now(),
    youngerThanMs: LOOK_YOUNGER_THAN_MS,
    pauseMs: LOOK_PAUSE_MS,
    limit: LOOK_AT_MOST,
  });
  if (claimed.length === 0) return;
  const looks = claimed.map((paymentId) =>
    convergePayment(ctx, paymentId).catch((error: unknown) =>
      ctx.log.warn({ err: error, payment_id: paymentId }, "payment not checked"),
    ),
  );
  await settleWithin(Promise.all(looks), LOOK_WAIT_MS, undefined);
}
