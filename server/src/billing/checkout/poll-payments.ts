import { settleWithin } from "@farline/domain/durations.ts";
import { expireUnknown, finishCharge } from "./place-charge.ts";
import { isPastExpiry, nextCheckAt } from "../payments/check-schedule.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { claimOpenPayments, duePayments, type Payment, scheduleCheck } from "../record/payment.store.ts";
import type { Context } from "../../context.ts";

const PAGE = 50;
/** Payments per run: a thousand. More wait for the next. */
const MAX_PAGES = 20;
/** Each needs up to four requests, of which the provider allows a hundred a second. */
const CHECKED_AT_ONCE = 4;
const MAX_CHECKS = 5;
const CHECK_YOUNGER_THAN_MS = 2 * 60 * 60 * 1000;
/** Minimum time between two checks of a payment at the provider. */
const CHECK_PAUSE_MS = 2_000;
/** How long a balance request waits for the provider. The check continues in the background. */
const CHECK_TIMEOUT_MS = 1_500;

/** Job: checks every due payment at Stripe, in case webhooks were lost. */
export async function pollPayments(ctx: Context, signal: AbortSignal): Promise<void> {
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page++) {
    const due = await duePayments(ctx.handle.db, ctx.clock.now(), PAGE);
    const waiting = due.values();
    const worker = async () => {
      for (const payment of waiting) {
        if (signal.aborted) return;
        await pollOne(ctx, payment);
      }
    };
    await Promise.all(Array.from({ length: CHECKED_AT_ONCE }, worker));
    if (due.length < PAGE) return;
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
  if (next === null) ctx.log.error({ payment_id: payment.id }, "giving up on an undecided payment");
  await scheduleCheck(db, payment.id, next);
}

/**
 * Checks the customer's open payments, so that the balance is current right after paying. After a failure, the credit appears later.
 */
export async function refreshOpenPayments(ctx: Context, customerId: string): Promise<void> {
  const claimed = await claimOpenPayments(ctx.handle.db, {
    customerId,
    now: ctx.clock.now(),
    youngerThanMs: CHECK_YOUNGER_THAN_MS,
    pauseMs: CHECK_PAUSE_MS,
    limit: MAX_CHECKS,
  });
  if (claimed.length === 0) return;
  const checks = claimed.map((paymentId) =>
    convergePayment(ctx, paymentId).catch((error: unknown) =>
      ctx.log.warn({ err: error, payment_id: paymentId }, "payment not checked"),
    ),
  );
  await settleWithin(Promise.all(checks), CHECK_TIMEOUT_MS, () => undefined);
}
