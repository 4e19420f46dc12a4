import type { ProviderDifference, ProviderLine, ProviderMonth } from "@farline/contract/operator/month.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { Stripe } from "stripe";
import type { Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Span } from "../../platform/split-span.ts";
import { fromCents } from "../record/cents.ts";
import { type PaymentNet, readPaymentNets } from "./month-ledger.store.ts";
import { monthSpan } from "./month-span.ts";

const CURRENCY = "usd";
const PAGE = 100;
const MAX_MOVEMENTS = 200_000;
/** Both sides book a movement within this time: the ledger first for refunds, the provider first for payments. */
const BOOKED_WITHIN_MS = 3 * DAY_MS;
/** The provider's categories of what customers' payments move; others are its fees and the transfers to our bank. */
const OF_PAYMENTS: ReadonlySet<string> = new Set([
  "charge",
  "charge_failure",
  "refund",
  "refund_failure",
  "partial_capture_reversal",
  "dispute",
  "dispute_reversal",
]);

/** What a payment moved at the provider: in the month, and in the wider span. */
interface ProviderNet {
  readonly reference: string;
  micros: bigint;
  widerMicros: bigint;
}

/**
 * The provider's balance report of a month: received, returned, its fees and payouts, compared payment by payment with the ledger.
 * @throws AppError not_found; payment_provider_down
 */
export async function readProviderMonth(
  { handle, clock, stripe }: Pick<Context, "handle" | "clock" | "stripe">,
  month: string,
): Promise<ProviderMonth> {
  const now = clock.now();
  const span = monthSpan(month, now);
  const wider = widen(span, now);
  const report = new BalanceReport(span);
  const movements = stripe.balanceTransactions.list({
    created: { gte: seconds(wider.from), lt: seconds(wider.to) },
    expand: ["data.source"],
    limit: PAGE,
  });
  try {
    for await (const movement of movements) report.add(movement);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    throw new AppError("payment_provider_down", { reason: "operator.balance_report_failed", cause: error });
  }
  const nets = await readPaymentNets(handle.db, span, wider);
  const providerNet = [...report.nets.values()].reduce((total, { micros }) => total + micros, 0n);
  return {
    month,
    lines: report.lines(),
    provider_net: toDecimalString(providerNet),
    ledger_net: toDecimalString(nets.reduce((total, { micros }) => total + micros, 0n)),
    differences: [...report.strangers, ...compare(nets, report.nets)],
  };
}

class BalanceReport {
  readonly nets = new Map<string, ProviderNet>();
  readonly strangers: ProviderDifference[] = [];
  readonly #span: Span;
  readonly #lines = new Map<string, { count: number; amount: number; fee: number; net: number }>();
  #count = 0;

  constructor(span: Span) {
    this.#span = span;
  }

  add(movement: Stripe.BalanceTransaction): void {
    this.#count += 1;
    if (this.#count > MAX_MOVEMENTS) throw new Error(`The provider reports more than ${MAX_MOVEMENTS} movements.`);
    const at = movement.created * 1_000;
    const isInMonth = at >= this.#span.from.getTime() && at < this.#span.to.getTime();
    if (isInMonth) this.#addToLine(movement);
    if (!OF_PAYMENTS.has(movement.reporting_category)) return;
    const intentId = intentOf(movement.source);
    if (movement.currency !== CURRENCY || intentId === null) {
      if (isInMonth) this.strangers.push(stranger(movement));
      return;
    }
    const net = this.nets.get(intentId) ?? { reference: intentId, micros: 0n, widerMicros: 0n };
    const micros = fromCents(movement.amount);
    net.widerMicros += micros;
    if (isInMonth) net.micros += micros;
    this.nets.set(intentId, net);
  }

  #addToLine({ reporting_category: category, amount, fee, net }: Stripe.BalanceTransaction): void {
    const line = this.#lines.get(category) ?? { count: 0, amount: 0, fee: 0, net: 0 };
    this.#lines.set(category, {
      count: line.count + 1,
      amount: line.amount + amount,
      fee: line.fee + fee,
      net: line.net + net,
    });
  }

  lines(): ProviderLine[] {
    return [...this.#lines]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([category, { count, amount, fee, net }]) => ({
        category,
        count,
        amount: toDecimalString(fromCents(amount)),
        fee: toDecimalString(fromCents(fee)),
        net: toDecimalString(fromCents(net)),
      }));
  }
}

/** Payments whose net differs in the month. If both sides agree over the wider span, only the month's end lay between. */
function compare(nets: readonly PaymentNet[], atProvider: ReadonlyMap<string, ProviderNet>): ProviderDifference[] {
  const rest = new Map(atProvider);
  const found: ProviderDifference[] = [];
  for (const { paymentId, intentId, micros, widerMicros } of nets) {
    const there = intentId === null ? undefined : rest.get(intentId);
    if (there !== undefined) rest.delete(there.reference);
    const [providerMicros, widerProviderMicros] = [there?.micros ?? 0n, there?.widerMicros ?? 0n];
    if (providerMicros === micros) continue;
    const timing = widerProviderMicros === widerMicros;
    found.push({
      payment_id: paymentId,
      reference: intentId,
      provider: toDecimalString(providerMicros),
      ledger: toDecimalString(micros),
      timing,
      text: timing ? "Booked on the two sides of the month's end." : "The two amounts differ.",
    });
  }
  const unknown = [...rest.values()].filter(({ micros }) => micros !== 0n);
  return [...found, ...unknown.map(({ reference, micros }) => unbooked(reference, micros))];
}

function unbooked(reference: string, micros: bigint): ProviderDifference {
  return {
    payment_id: null,
    reference,
    provider: toDecimalString(micros),
    ledger: "0.00",
    timing: false,
    text: "The ledger has no booking of this payment at that time.",
  };
}

function stranger({ id, amount, currency }: Stripe.BalanceTransaction): ProviderDifference {
  const text =
    currency === CURRENCY ? "The provider names no payment for this." : `This is in ${currency.toUpperCase()}, not in dollars.`;
  return { payment_id: null, reference: id, provider: toDecimalString(fromCents(amount)), ledger: "0.00", timing: false, text };
}

/** The payment intent behind a charge, refund or dispute. */
function intentOf(source: Stripe.BalanceTransaction["source"]): string | null {
  if (source === null || typeof source === "string" || !("payment_intent" in source)) return null;
  const intent = source.payment_intent;
  return typeof intent === "string" ? intent : (intent?.id ?? null);
}

function widen({ from, to }: Span, now: Date): Span {
  const later = new Date(to.getTime() + BOOKED_WITHIN_MS);
  return { from: new Date(from.getTime() - BOOKED_WITHIN_MS), to: later < now ? later : now };
}

function seconds(at: Date): number {
  return Math.ceil(at.getTime() / 1_000);
}
