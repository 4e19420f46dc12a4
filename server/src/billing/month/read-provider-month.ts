import type { ProviderDifference, ProviderMonth } from "@farline/contract/operator/month.ts";
import { type Micros, toDecimalString, sumOf } from "@farline/domain/money.ts";
import { Stripe } from "stripe";
import type { Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Span } from "../../platform/split-span.ts";
import { fromMinorUnits } from "../record/cents.ts";
import { missingPermission } from "../record/provider-refusals.ts";
import { BalanceReport, type ProviderPayment } from "./balance-report.ts";
import { knownIntents, type PaymentNet, readPaymentNets } from "./month.store.ts";
import { bookedMonth } from "./month-span.ts";
import { BOOKED_WITHIN_MS } from "./movement-kind.ts";

const PAGE = 100;
/** Payments whose charge is older than the report, and that nothing else names: each needs a request. */
const MAX_ASKED = 100;

type ReportContext = Pick<Context, "handle" | "clock" | "stripe"> & { readonly config: Pick<Context["config"], "publicUrl"> };

/**
 * The provider's balance report of a month: received, returned, its fees and payouts, in the currencies of the account. Each payment is compared
 * with the ledger in the dollars that its payer paid. Payments of other shops in the account are summed apart.
 * @throws AppError not_found; payment_provider_down, also for a key that lacks a permission
 */
export async function readProviderMonth(ctx: ReportContext, month: string): Promise<ProviderMonth> {
  const now = ctx.clock.now();
  const span = await bookedMonth(ctx, month);
  const wider = widen(span, now);
  const report = new BalanceReport(span);
  const nets = await readPaymentNets(ctx.handle.db, span, wider);
  const ours = new Map<string, ProviderPayment>();
  try {
    const created = { gte: seconds(wider.from), lt: seconds(wider.to) };
    const movements = ctx.stripe.balanceTransactions.list({ created, expand: ["data.source"], limit: PAGE });
    for await (const movement of movements) report.add(movement);
    const isOurs = await ownership(ctx, report, nets);
    for (const payment of report.payments.values()) {
      const own = await isOurs(payment);
      report.settle(payment, own);
      if (own) ours.set(payment.reference, payment);
    }
  } catch (error) {
    throw refusalOf(error);
  }
  return {
    month,
    lines: report.lines(),
    provider_net: toDecimalString(sumOf([...ours.values()].map((one) => paidOf(one).micros))),
    ledger_net: toDecimalString(sumOf(nets.map(({ micros }) => micros))),
    differences: [...report.unknown, ...[...ours.values()].flatMap(inOtherCurrencies), ...compare(nets, ours)],
  };
}

/** The known intents are ours; of the others those whose metadata names this installation. */
async function ownership(ctx: ReportContext, report: BalanceReport, nets: readonly PaymentNet[]) {
  const named = [...report.payments.values()].flatMap(({ intentId }) => intentId ?? []);
  const known = new Set([...(await knownIntents(ctx.handle.db, named)), ...nets.flatMap(({ intentId }) => intentId ?? [])]);
  let asked = 0;
  return async ({ intentId, site, movements }: ProviderPayment): Promise<boolean> => {
    if (intentId !== null && known.has(intentId)) return true;
    if (site !== undefined || intentId === null) return site === ctx.config.publicUrl;
    if (movements.every(({ isInMonth }) => !isInMonth)) return false;
    asked += 1;
    // Too many to ask about: a person decides whose they are.
    if (asked > MAX_ASKED) return true;
    const { metadata } = await ctx.stripe.paymentIntents.retrieve(intentId);
    return metadata["site"] === ctx.config.publicUrl;
  };
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const permission = missingPermission(error, "to read balance transactions");
  if (permission === null)
    return new AppError("payment_provider_down", { reason: "operator.balance_report_failed", cause: error });
  return new AppError("payment_provider_down", { reason: "operator.key_lacks", params: { permission }, cause: error });
}

/** What a payment moved in the month and in the wider span, in the payer's dollars. */
function paidOf({ movements }: ProviderPayment): { micros: Micros; widerMicros: Micros } {
  const of = (own: ProviderPayment["movements"]) => sumOf(own.map(({ micros }) => micros ?? 0n));
  return { micros: of(movements.filter(({ isInMonth }) => isInMonth)), widerMicros: of(movements) };
}

/** Payments whose net differs in the month. If both sides agree over the wider span, only the month's end lay between. */
function compare(nets: readonly PaymentNet[], atProvider: ReadonlyMap<string, ProviderPayment>): ProviderDifference[] {
  const rest = new Map(atProvider);
  const found: ProviderDifference[] = [];
  for (const { paymentId, intentId, micros, widerMicros } of nets) {
    const there = intentId === null ? undefined : rest.get(intentId);
    if (there !== undefined) rest.delete(there.reference);
    const provider = there === undefined ? { micros: 0n, widerMicros: 0n } : paidOf(there);
    if (provider.micros === micros) continue;
    const timing = provider.widerMicros === widerMicros;
    const text = timing ? "Booked on the two sides of the month's end." : "The two amounts differ.";
    found.push(difference({ paymentId, reference: intentId, provider: provider.micros, ledger: micros, timing, text }));
  }
  const unbooked = [...rest.values()].map((one) => ({ reference: one.reference, provider: paidOf(one).micros }));
  const text = "It names this service, but the ledger has no booking of this payment at that time.";
  return [
    ...found,
    ...unbooked
      .filter(({ provider }) => provider !== 0n)
      .map((one) => difference({ ...one, paymentId: null, ledger: 0n, timing: false, text })),
  ];
}

/** Movements of our payments that no payer's dollars explain. */
function inOtherCurrencies({ reference, movements }: ProviderPayment): ProviderDifference[] {
  return movements
    .filter(({ micros, isInMonth }) => micros === null && isInMonth)
    .map(({ currency, amount }) => ({
      ...difference({
        paymentId: null,
        reference,
        provider: 0n,
        ledger: 0n,
        timing: false,
        text: "Its payer did not pay in dollars.",
      }),
      currency: currency.toUpperCase(),
      provider: fromMinorUnits(amount, currency),
    }));
}

interface Found {
  readonly paymentId: string | null;
  readonly reference: string | null;
  readonly provider: Micros;
  readonly ledger: Micros;
  readonly timing: boolean;
  readonly text: string;
}

function difference({ paymentId, reference, provider, ledger, timing, text }: Found): ProviderDifference {
  const amounts = { provider: toDecimalString(provider), ledger: toDecimalString(ledger) };
  return { payment_id: paymentId, reference, currency: "USD", ...amounts, timing, text };
}

function widen({ from, to }: Span, now: Date): Span {
  const later = new Date(to.getTime() + BOOKED_WITHIN_MS);
  return { from: new Date(from.getTime() - BOOKED_WITHIN_MS), to: later < now ? later : now };
}

function seconds(at: Date): number {
  return Math.ceil(at.getTime() / 1_000);
}
