import type { DifferenceKind } from "@farline/contract/operator/constants.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type Stripe from "stripe";
import { uuidv7 } from "uuidv7";
import { bounded, changedIntents } from "../record/money-events.ts";
import { fromCents } from "../record/cents.ts";
import { syncPayment, type PaymentSync } from "../payments/converge-payment.ts";
import { isMoneyTaken } from "../record/dispute-stage.ts";
import { handleStripeEvent } from "../stripe/handle-stripe-event.ts";
import { findPaymentByIntent, readPayment, type Payment } from "../record/payment.store.ts";
import { recoverPayment, sessionOf } from "../recovery/recover-payment.ts";
import type { CheckoutState } from "../payments/read-checkout-state.ts";
import {
  addMovedPayments,
  addOpenDisputes,
  addPayment,
  finishRun,
  forgetPayments,
  insertDifference,
  ledgerOfPayment,
  nextPayments,
  openDifferences,
  startRun,
  forgetRuns,
  latestRun,
  differencesOf,
  latestEnd,
  type Difference,
  type ReconciliationRun,
} from "./reconciliation.store.ts";
import { actingAs, type Context, type OperatorContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { recordOperation, type Verb, CONCERNS_NOBODY } from "../../operator/operator.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Metric } from "../../platform/metric.ts";

/** It runs every night. */
const LATE_SECONDS = 36 * 60 * 60;
/** In UTC, when few customers pay. */
const HOUR_OF_DAY = 3;
/** The provider's redelivery period, so that each payment is compared on several nights. */
const SPAN_MS = 3 * DAY_MS;
const RUNS_KEPT_MS = 400 * DAY_MS;
/** No run takes as long. */
const UNFINISHED_KEPT_MS = 7 * DAY_MS;
const PAGE = 100;
const MAX_EVENTS = 1_000;
const DETAIL_LENGTH = 300;
/** A difference is compared again by each run until it is gone, for this long. */
const DIFFERENCES_CARRIED_MS = 90 * DAY_MS;
/** Each needs up to four requests, of which the provider allows a hundred a second. */
const COMPARED_AT_ONCE = 4;

export interface ReconciliationResult {
  readonly runId: string;
  /** The provider's charges in the span. */
  readonly charges: number;
  readonly providerMicros: bigint;
  readonly ledgerMicros: bigint;
  readonly repaired: number;
  readonly differences: number;
}

/**
 * Compares the ledger with the payment provider for every payment whose money moved on either side in the span. First processes the
 * provider's undelivered events, recovers payments that a restored database has forgotten, and converges each payment. Remaining
 * differences are recorded for an operator; nothing is repaired by guessing, and what differed in the run before is compared again. The payments wait in a table, so memory does not grow with them.
 * @param span.openDisputes whether to read every dispute that is open here, too, because its end may have been forgotten
 * @throws errors of the provider's lists, and of the signal, which leave the run unfinished
 */
export async function reconcilePayments(
  ctx: Context,
  span: { from: Date; to: Date; openDisputes?: boolean },
  signal: AbortSignal = new AbortController().signal,
): Promise<ReconciliationResult> {
  const runId = uuidv7();
  const { db } = ctx.handle;
  const { from, to } = span;
  const open = await openDifferences(db, new Date(ctx.clock.now().getTime() - DIFFERENCES_CARRIED_MS));
  await startRun(db, { id: runId, from, to, now: ctx.clock.now() });
  const run = new Run(ctx, runId, { signal, open });
  await processMissedEvents(ctx, span);
  await run.collectFromProvider(span);
  await run.collectFromHere(span);
  await run.collectOpen();
  if (span.openDisputes === true) await addOpenDisputes(db, runId);
  await run.compareAll();
  const { payments, charges, providerMicros, ledgerMicros, repaired, differences } = run;
  await forgetPayments(db, runId, signal);
  await finishRun(db, runId, {
    charges,
    provider_micros: providerMicros,
    ledger_micros: ledgerMicros,
    repaired,
    differences,
    now: ctx.clock.now(),
  });
  const summary = { run_id: runId, payments, repaired, differences };
  if (differences > 0) ctx.log.error(summary, "ledger and payment provider differ");
  else ctx.log.info(summary, "ledger and payment provider agree");
  return { runId, charges, providerMicros, ledgerMicros, repaired, differences };
}

/** An operator's comparison of up to 90 days needs many requests to the provider, so a service makes one at a time. */
let isOrdered = false;

/** Compares the last days at an operator's order, and says what it found. @throws AppError conflict while another one runs */
const reconcile: Verb<"reconcile", ReconciliationResult> = {
  order: async (ctx, { days, reason }) => {
    if (isOrdered) throw new AppError("conflict", { reason: "operator.comparison_running" });
    isOrdered = true;
    try {
      return await compareLastDays(ctx, days, reason);
    } finally {
      isOrdered = false;
    }
  },
  respond: ({ result }) => ({ repaired: result?.repaired ?? 0, differences: result?.differences ?? 0 }),
};

export const reconcileVerbs = { reconcile };

async function compareLastDays(ctx: OperatorContext, days: number, reason: string): Promise<ReconciliationResult> {
  const detail = { days: String(days) };
  await ctx.transaction((tx) =>
    recordOperation(tx, ctx, { ...CONCERNS_NOBODY, action: "reconcile", subject: null, reason, detail }),
  );
  const to = ctx.clock.now();
  return reconcilePayments(actingAs(ctx, { kind: "job" }), { from: new Date(to.getTime() - days * DAY_MS), to });
}

/** Processes events that the provider could not deliver. */
async function processMissedEvents(ctx: Context, { from }: { from: Date }): Promise<void> {
  const list = ctx.stripe.events.list({ delivery_success: false, created: { gte: seconds(from) }, limit: PAGE });
  for (const event of await list.autoPagingToArray({ limit: MAX_EVENTS }))
    await handleStripeEvent(ctx, event).catch((error: unknown) =>
      ctx.log.warn({ err: error, event_id: event.id }, "missed event not handled"),
    );
}

class Run {
  readonly #ctx: Context;
  readonly #id: string;
  readonly #signal: AbortSignal;
  /** The differences of the run before. */
  readonly #open: readonly Difference[];
  readonly #unknownCharges = new Set<string>();
  payments = 0;
  charges = 0;
  providerMicros = 0n;
  ledgerMicros = 0n;
  repaired = 0;
  differences = 0;

  constructor(ctx: Context, id: string, { signal, open }: { signal: AbortSignal; open: readonly Difference[] }) {
    this.#ctx = ctx;
    this.#id = id;
    this.#signal = signal;
    this.#open = open;
  }

  async collectFromProvider({ from, to }: { from: Date; to: Date }): Promise<void> {
    const { stripe } = this.#ctx;
    const query = { created: { gte: seconds(from), lt: seconds(to) }, limit: PAGE };
    for await (const charge of bounded(stripe.charges.list(query))) {
      if (!charge.paid) continue;
      this.charges += 1;
      await this.#collect(charge.payment_intent, { metadata: charge.metadata, charge });
    }
    for await (const refund of bounded(stripe.refunds.list(query))) await this.#collect(refund.payment_intent, {});
    for await (const dispute of bounded(stripe.disputes.list(query))) await this.#collect(dispute.payment_intent, {});
    for await (const { intentId, metadata } of changedIntents(stripe, from)) await this.#collect(intentId, { metadata });
  }

  /** Day by day, so that no statement takes long. */
  async collectFromHere(span: { from: Date; to: Date }): Promise<void> {
    for (let from = span.from; from < span.to; from = new Date(from.getTime() + DAY_MS)) {
      const to = new Date(Math.min(from.getTime() + DAY_MS, span.to.getTime()));
      await addMovedPayments(this.#ctx.handle.db, this.#id, { from, to });
    }
  }

  /** Without this, a difference would be forgotten once its payment is older than the span. */
  async collectOpen(): Promise<void> {
    const { stripe, handle } = this.#ctx;
    for (const { payment_id: paymentId, reference } of this.#open) {
      this.#signal.throwIfAborted();
      if (paymentId !== null) await addPayment(handle.db, this.#id, { paymentId, intentId: null });
      else if (reference !== null && !this.#unknownCharges.has(reference)) {
        const isIntent = reference.startsWith("pi_");
        const charges = isIntent
          ? (await stripe.charges.list({ payment_intent: reference, limit: PAGE })).data
          : [await stripe.charges.retrieve(reference)];
        for (const charge of charges)
          if (charge.paid && charge.amount > charge.amount_refunded)
            await this.#collect(charge.payment_intent, { metadata: charge.metadata, charge });
      }
    }
  }

  /**
   * @param of.metadata names the payment, whose row may not name the intent
   * @param of.charge recovered if its payment is unknown, and reported as a difference if that is impossible; unknown refunds and disputes
   * belong to such a charge. One that does not name this installation is other business of the account
   */
  async #collect(
    reference: string | Stripe.PaymentIntent | null,
    { metadata, charge }: { metadata?: Stripe.Metadata; charge?: Stripe.Charge },
  ): Promise<void> {
    this.#signal.throwIfAborted();
    const intentId = typeof reference === "string" ? reference : reference?.id;
    const { db } = this.#ctx.handle;
    const known = intentId === undefined ? undefined : await findPaymentByIntent(db, intentId);
    const named = metadata?.["payment_id"] ?? "";
    const payment =
      known ?? (isUuid(named) ? await readPayment(db, named) : undefined) ?? (await this.#recover(intentId, charge));
    if (payment !== null) {
      // The row may lack the charge, because the response or the row's later state was lost.
      const unnamed = payment.payment_intent_id === null ? intentId : undefined;
      await addPayment(db, this.#id, { paymentId: payment.id, intentId: unnamed ?? null });
    } else if (charge !== undefined && charge.metadata["site"] === this.#ctx.config.publicUrl) {
      const unknown = intentId ?? charge.id;
      this.#unknownCharges.add(unknown);
      await this.#differs("unknown_charge", {
        reference: unknown,
        providerMicros: fromCents(charge.amount - charge.amount_refunded),
        ledgerMicros: 0n,
        detail: "The provider has a charge without a payment here.",
      });
    }
  }

  async #recover(intentId: string | undefined, charge: Stripe.Charge | undefined): Promise<Payment | null> {
    if (intentId === undefined || charge === undefined) return null;
    return recoverPayment(this.#ctx, intentId).catch((error: unknown) => {
      this.#ctx.log.error({ err: error, payment_intent_id: intentId }, "forgotten payment not recovered");
      return null;
    });
  }

  async compareAll(): Promise<void> {
    let after: string | null = null;
    do {
      this.#signal.throwIfAborted();
      const page = await nextPayments(this.#ctx.handle.db, this.#id, { after, limit: COMPARED_AT_ONCE });
      await Promise.all(page.map((one) => this.#compare(one.payment_id, one.payment_intent_id)));
      this.payments += page.length;
      after = page.at(-1)?.payment_id ?? null;
    } while (after !== null);
  }

  /** @param intentId the provider's, if the payment's row does not name it */
  async #compare(paymentId: string, intentId: string | null): Promise<void> {
    const sync = await this.#sync(paymentId, intentId).catch((error: unknown) => ({ failure: String((error as Error).message) }));
    const { netMicros, orderedMicros } = await ledgerOfPayment(this.#ctx.handle.db, paymentId);
    this.ledgerMicros += netMicros;
    if ("failure" in sync)
      return this.#differs("unreadable", {
        paymentId,
        ledgerMicros: netMicros,
        detail: `The provider responded: ${sync.failure}`,
      });
    if (sync.moved) this.repaired += 1;
    const atProvider = sync.providerState === null ? 0n : netAtProvider(sync.providerState);
    this.providerMicros += atProvider;
    if (atProvider - orderedMicros === netMicros) return;
    const missing = sync.providerState === null || !sync.providerState.paid;
    await this.#differs(missing ? "missing_at_provider" : "amount", {
      paymentId,
      reference: sync.payment.payment_intent_id,
      providerMicros: atProvider,
      ledgerMicros: netMicros,
      detail: missing ? "The provider has no such payment." : "The ledger's amount differs from the provider's.",
    });
  }

  async #sync(paymentId: string, intentId: string | null): Promise<PaymentSync> {
    const session = intentId === null ? null : await sessionOf(this.#ctx.stripe, intentId);
    return syncPayment(this.#ctx, paymentId, {
      ...(intentId === null ? {} : { intentId }),
      ...(session === null ? {} : { sessionId: session.id }),
      reversals: ["refunds", "disputes", "warnings"],
    });
  }

  async #differs(
    kind: DifferenceKind,
    found: {
      paymentId?: string;
      reference?: string | null;
      providerMicros?: bigint;
      ledgerMicros: bigint;
      detail: string;
    },
  ): Promise<void> {
    this.differences += 1;
    const { clock, handle } = this.#ctx;
    const { paymentId, reference } = found;
    const known = this.#open.find((one) =>
      paymentId === undefined ? one.payment_id === null && one.reference === reference : one.payment_id === paymentId,
    );
    await insertDifference(handle.db, {
      id: uuidv7(),
      run_id: this.#id,
      kind,
      payment_id: paymentId ?? null,
      reference: reference ?? null,
      provider_micros: found.providerMicros ?? null,
      ledger_micros: found.ledgerMicros,
      detail: found.detail.slice(0, DETAIL_LENGTH),
      found_at: known?.found_at ?? clock.now(),
    });
    this.#ctx.log.error({ kind, payment_id: paymentId, reference }, "reconciliation difference");
  }
}

/** The amount received minus refunds and disputes. */
function netAtProvider(providerState: CheckoutState): bigint {
  if (!providerState.paid || providerState.amountCents === null) return 0n;
  const refunded = providerState.refunds.filter(({ status }) => status !== "failed" && status !== "canceled");
  const disputed = providerState.disputes.filter(({ status }) => isMoneyTaken(status));
  const out = [...refunded, ...disputed].reduce((sum, { amount }) => sum + amount, 0);
  return fromCents(providerState.amountCents) - fromCents(out);
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

/** Job: reconciles ledger and provider once a day. After a missed night, runs as soon as the service does. */
export async function reconcileNightly(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  const { db } = ctx.handle;
  const last = await latestRun(db);
  if (last !== undefined && last.started_at >= lastNight(now)) return;
  const before = (ms: number) => new Date(now.getTime() - ms);
  await reconcilePayments(ctx, { from: before(SPAN_MS), to: now }, signal);
  await forgetRuns(db, { finished: before(RUNS_KEPT_MS), unfinished: before(UNFINISHED_KEPT_MS) }, signal);
}

function lastNight(now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR_OF_DAY);
  return new Date(today <= now.getTime() ? today : today - DAY_MS);
}

/** The latest completed run with its differences; null before the first. */
export async function latestReconciliation(db: Database): Promise<{ run: ReconciliationRun; differences: Difference[] } | null> {
  const run = await latestRun(db);
  return run === undefined ? null : { run, differences: await differencesOf(db, run.id) };
}

/** Metrics of the reconciliation. */
export function reconciliationMetrics({ handle, clock }: Context): Metric[] {
  return [
    {
      name: "farline_reconciliation_age_seconds",
      help: "Time since ledger and payment provider were last compared to the end",
      read: async () => {
        const at = await latestEnd(handle.db);
        return at === undefined ? 0 : Math.max(0, Math.floor((clock.now().getTime() - at.getTime()) / 1_000));
      },
      runbook: "person-needed",
      level: "ticket",
      warning: (seconds) =>
        seconds < LATE_SECONDS
          ? null
          : `Ledger and payment provider were last compared ${Math.floor(seconds / 3_600)} hours ago. See the log for why no comparison ends.`,
    },
    {
      name: "farline_reconciliation_differences",
      help: "Differences between ledger and payment provider found by the latest reconciliation",
      read: async () => (await latestRun(handle.db))?.differences ?? 0,
      runbook: "person-needed",
      level: "ticket",
      warning: (differences) =>
        differences === 0 ? null : `Ledger and payment provider differ in ${differences} places. See the command reconcile.`,
    },
  ];
}
