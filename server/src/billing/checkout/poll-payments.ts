import { settleWithin } from "../../platform/settle-within.ts";
import { finishCharge } from "./place-charge.ts";
import type { BillingDependencies } from "../billing-dependencies.ts";
import { isPastExpiry, nextCheckAt } from "../payments/check-schedule.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { expireUnknown } from "../payments/expire-unknown.ts";
import { claimOpenPayments, duePayments, scheduleCheck, type Payment } from "../record/payment.store.ts";

const MAX_PER_RUN = 50;
const LOOK_AT_MOST = 5;
const LOOK_YOUNGER_THAN_MS = 2 * 60 * 60 * 1000;
/** The provider is asked about one payment at most once in this time. */
const LOOK_PAUSE_MS = 2_000;
/** How long the balance waits for the provider; the check continues without it. */
const LOOK_WAIT_MS = 1_500;

/** Checks every due payment at Stripe, so that a lost webhook does no harm. */
export async function pollPayments(deps: BillingDependencies, signal: AbortSignal): Promise<void> {
  const due = await duePayments(deps.handle.db, deps.clock.now(), MAX_PER_RUN);
  for (const payment of due) {
    if (signal.aborted) return;
    await pollOne(deps, payment);
  }
}

async function pollOne(deps: BillingDependencies, payment: Payment): Promise<void> {
  const { db } = deps.handle;
  try {
    if (payment.saved_card_id !== null) await finishCharge(deps, payment);
    else if (payment.session_id !== null) await convergePayment(deps, payment.id);
    else if (isPastExpiry(payment, deps.clock.now())) await expireUnknown(deps, payment.id);
  } catch (error) {
    deps.log.warn({ err: error, payment_id: payment.id }, "payment not checked");
  }
  const next = nextCheckAt(payment, deps.clock.now());
  if (next === null) deps.log.error({ payment_id: payment.id }, "payment stays undecided");
  await scheduleCheck(db, payment.id, next);
}

/**
 * A quick check of the customer's open payments, so that the balance right after paying is current. A
 * failure only means that it shows later.
 */
export async function refreshOpenPayments(deps: BillingDependencies, customerId: string): Promise<void> {
  const claimed = await claimOpenPayments(deps.handle.db, {
    customerId,
    now: deps.clock.now(),
    youngerThanMs: LOOK_YOUNGER_THAN_MS,
    pauseMs: LOOK_PAUSE_MS,
    limit: LOOK_AT_MOST,
  });
  if (claimed.length === 0) return;
  const looks = claimed.map((paymentId) =>
    convergePayment(deps, paymentId).catch((error: unknown) =>
      deps.log.warn({ err: error, payment_id: paymentId }, "payment not checked"),
    ),
  );
  await settleWithin(Promise.all(looks), LOOK_WAIT_MS, undefined);
}
