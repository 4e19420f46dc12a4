import { finishCharge } from "../auto-top-up/place-charge.ts";
import type { BillingDependencies } from "../billing-dependencies.ts";
import { isPastExpiry, nextCheckAt } from "./check-schedule.ts";
import { convergePayment } from "./converge-payment.ts";
import { expireUnknown } from "./expire-unknown.ts";
import { claimOpenPayments, duePayments, scheduleCheck, type Payment } from "./payment.store.ts";

const MOST_A_RUN = 50;
const LOOK_AT_MOST = 5;
const LOOK_YOUNGER_THAN_MS = 2 * 60 * 60 * 1000;
/** The provider is asked about one payment at most once in this time. */
const LOOK_PAUSE_MS = 2_000;
/** How long the balance waits for the provider; the check continues without it. */
const LOOK_WAIT_MS = 1_500;

/** Checks every due payment at Stripe, so that a lost webhook does no harm. */
export async function pollPayments(parts: BillingDependencies, signal: AbortSignal): Promise<void> {
  const due = await duePayments(parts.handle.db, parts.clock.now(), MOST_A_RUN);
  for (const payment of due) {
    if (signal.aborted) return;
    await pollOne(parts, payment);
  }
}

async function pollOne(parts: BillingDependencies, payment: Payment): Promise<void> {
  const { db } = parts.handle;
  try {
    if (payment.saved_card_id !== null) await finishCharge(parts, payment);
    else if (payment.session_id !== null) await convergePayment(parts, payment.id);
    else if (isPastExpiry(payment, parts.clock.now())) await expireUnknown(parts, payment.id);
  } catch (error) {
    parts.log.warn({ err: error, payment_id: payment.id }, "payment not checked");
  }
  const next = nextCheckAt(payment, parts.clock.now());
  if (next === null) parts.log.error({ payment_id: payment.id }, "payment stays undecided");
  await scheduleCheck(db, payment.id, next);
}

/**
 * A quick check of the customer's open payments, so that the balance right after paying is current. A
 * failure only means that it shows later.
 */
export async function refreshOpenPayments(parts: BillingDependencies, customerId: string): Promise<void> {
  const claimed = await claimOpenPayments(parts.handle.db, {
    customerId,
    now: parts.clock.now(),
    youngerThanMs: LOOK_YOUNGER_THAN_MS,
    pauseMs: LOOK_PAUSE_MS,
    limit: LOOK_AT_MOST,
  });
  if (claimed.length === 0) return;
  const looks = claimed.map((paymentId) =>
    convergePayment(parts, paymentId).catch((error: unknown) =>
      parts.log.warn({ err: error, payment_id: paymentId }, "payment not checked"),
    ),
  );
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => (timer = setTimeout(resolve, LOOK_WAIT_MS)));
  await Promise.race([Promise.all(looks), enough]);
  clearTimeout(timer);
}
