import { DAY_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { SLOW_REFUND_MS } from "../record/pending-reason.ts";
import { type Metric, usualMetric } from "../../platform/metric.ts";
import type { Context } from "../../context.ts";
import {
  countDisputes,
  countPaid,
  countPaidWithoutEvent,
  countSlowRefunds,
  oldestEvent,
  readPaymentOutcomes,
} from "./billing-metrics.store.ts";

/** The provider repeats an event after minutes; one that is still not processed then needs a person. */
const LATE_SECONDS = 15 * 60;
/** One event may be lost, or its payment be booked by a restore. */
const MANY_WITHOUT_EVENT = 3;
/** A payment is booked soon after its event has arrived. */
const BOOKED_WITHIN_MS = 5 * 60_000;
/** Fewer failures are usual: cards are declined. */
const MANY_FAILURES = 20;
const FAILURES_TO_PAID = 4;
const DUE_SOON_MS = 2 * DAY_MS;

/** Metrics of payments for monitoring. */
export function billingMetrics({ handle, clock }: Context): Metric[] {
  let lastPaid = 0;
  return [
    usualMetric(clock, "payments", (span) => countPaid(handle.db, span)),
    {
      name: "farline_payments_hour",
      help: "Payments that ended in the last hour",
      label: "result",
      read: async () => {
        const { paid, failed } = await readPaymentOutcomes(handle.db, new Date(clock.now().getTime() - HOUR_MS));
        lastPaid = paid;
        return new Map(Object.entries({ paid, failed }));
      },
      runbook: "payments-failing",
      level: "page",
      warning: (count, result) =>
        result === "failed" && count >= MANY_FAILURES && count > FAILURES_TO_PAID * lastPaid
          ? `${count} of the ${count + lastPaid} payments of the last hour failed.`
          : null,
    },
    ...eventMetrics({ handle, clock }),
    {
      name: "farline_disputes_open",
      help: "Disputes and inquiries of customers' banks that wait for evidence",
      read: () => countDisputes(handle.db),
      runbook: "dispute-due",
      level: "ticket",
      warning: (open) =>
        open === 0
          ? null
          : `Disputes that wait for evidence: ${open}. Answer them in the provider's dashboard before they are due. See the queue.`,
    },
    {
      name: "farline_disputes_due_soon",
      help: "Disputes and inquiries that wait for evidence and are due within 48 hours",
      read: () => countDisputes(handle.db, new Date(clock.now().getTime() + DUE_SOON_MS)),
      runbook: "dispute-due",
      level: "page",
      warning: (due) =>
        due === 0 ? null : `Disputes that are due within 48 hours: ${due}. A dispute without an answer is lost.`,
    },
    {
      name: "farline_refunds_slow",
      help: "Refunds and withdrawals that have waited at the payment provider for over two days",
      read: () => countSlowRefunds(handle.db, new Date(clock.now().getTime() - SLOW_REFUND_MS)),
      runbook: "person-needed",
      level: "ticket",
      warning: (slow) =>
        slow === 0
          ? null
          : `Refunds that have waited at the payment provider for over two days: ${slow}. The queue says what each waits for.`,
    },
  ];
}

/** Of the provider's events, which bring what happens there. */
function eventMetrics({ handle, clock }: Pick<Context, "handle" | "clock">): Metric[] {
  return [
    {
      name: "farline_payment_event_waiting_seconds",
      help: "Age of the oldest event of the payment provider that has arrived but is not processed",
      read: async () => {
        const since = await oldestEvent(handle.db, new Date(clock.now().getTime() - DAY_MS));
        return since === null ? 0 : Math.max(0, Math.floor((clock.now().getTime() - since.getTime()) / 1_000));
      },
      runbook: "payments-failing",
      level: "page",
      warning: (seconds) =>
        seconds < LATE_SECONDS
          ? null
          : `An event of the payment provider has not been processed for ${Math.floor(seconds / 60)} minutes. See the log.`,
    },
    {
      name: "farline_payments_without_event",
      help: "Payments of the last day that were paid although no event of the payment provider has arrived since",
      read: () => {
        const now = clock.now().getTime();
        const span = { from: new Date(now - DAY_MS), to: new Date(now - LATE_SECONDS * 1_000) };
        return countPaidWithoutEvent(handle.db, span, BOOKED_WITHIN_MS);
      },
      runbook: "payments-failing",
      level: "ticket",
      warning: (paid) =>
        paid < MANY_WITHOUT_EVENT
          ? null
          : {
              text: `No event of the payment provider has arrived, although ${paid} payments were paid.`,
              detail:
                "Until then, disputes, fraud warnings and refunds made at the provider are seen only by the nightly comparison. The doctor checks the webhook endpoint.",
            },
    },
  ];
}
