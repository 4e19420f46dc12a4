import type { ProviderDifference, ProviderLine } from "@farline/contract/operator/month.ts";
import { formatDollars, fromDecimalString, type Micros, MICROS_PER_DOLLAR, sumOf } from "@farline/domain/money.ts";
import type { Stripe } from "stripe";
import type { Span } from "../../platform/split-span.ts";
import { fromCents, fromMinorUnits } from "../record/cents.ts";
import { intentOf, isCharge, kindOf, payerMicros, siteOf } from "./movement-kind.ts";

const MAX_MOVEMENTS = 200_000;
/** The line of what isn't ours. */
const OTHER_BUSINESS = "other_business";

interface Movement {
  readonly id: string;
  readonly category: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly isInMonth: boolean;
  /** Dollars of the payer; null if the payment was in another currency, or if this moved no payment. */
  readonly micros: Micros | null;
}

/** The movements of one payment. */
export interface ProviderPayment {
  /** The payment intent, or the movement's id if it names none. */
  readonly reference: string;
  readonly intentId: string | null;
  readonly movements: Movement[];
  /** Whose it is by the provider's metadata; undefined where only the payment itself would say. */
  site: string | null | undefined;
}

/** Sorts the movements of the provider's balance: by payment, and into lines that never mix currencies. */
export class BalanceReport {
  readonly payments = new Map<string, ProviderPayment>();
  readonly unknown: ProviderDifference[] = [];
  readonly #span: Span;
  readonly #lines = new Map<string, Movement[]>();
  #count = 0;

  constructor(span: Span) {
    this.#span = span;
  }

  add(moved: Stripe.BalanceTransaction): void {
    this.#count += 1;
    if (this.#count > MAX_MOVEMENTS) throw new Error(`The provider reports more than ${MAX_MOVEMENTS} movements.`);
    const kind = kindOf(moved.reporting_category);
    const movement = this.#read(moved, kind === "payment" ? payerMicros(moved) : null);
    if (kind === "payment") this.#addToPayment(moved, movement);
    else this.#addToLine(movement, kind === "other_business" ? OTHER_BUSINESS : movement.category);
    if (kind === "unknown" && movement.isInMonth) this.unknown.push(unknownCategory(movement));
  }

  /** Books a payment's movements as ours, or as another shop's in the same account. */
  settle({ movements }: ProviderPayment, isOurs: boolean): void {
    for (const one of movements) this.#addToLine(one, isOurs ? one.category : OTHER_BUSINESS);
  }

  lines(): ProviderLine[] {
    return [...this.#lines].toSorted(([one], [other]) => one.localeCompare(other)).map(([, own]) => lineOf(own));
  }

  #read({ id, reporting_category: category, currency, amount, fee, created }: Stripe.BalanceTransaction, micros: Micros | null) {
    const at = created * 1_000;
    const isInMonth = at >= this.#span.from.getTime() && at < this.#span.to.getTime();
    return { id, category, currency, amount: BigInt(amount), fee: BigInt(fee), isInMonth, micros };
  }

  #addToPayment(moved: Stripe.BalanceTransaction, movement: Movement): void {
    const intentId = intentOf(moved);
    const reference = intentId ?? moved.id;
    const payment = this.payments.get(reference) ?? { reference, intentId, movements: [], site: undefined };
    payment.movements.push(movement);
    const site = siteOf(moved);
    if (site !== null || isCharge(moved)) payment.site = site ?? payment.site ?? null;
    this.payments.set(reference, payment);
  }

  #addToLine(movement: Movement, category: string): void {
    if (!movement.isInMonth) return;
    const key = `${movement.currency} ${category}`;
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    line.push(category === movement.category ? movement : { ...movement, category, micros: null });
  }
}

function lineOf(own: readonly Movement[]): ProviderLine {
  const { category = "", currency = "" } = own[0] ?? {};
  const [amount, fee] = [sumOf(own.map((one) => one.amount)), sumOf(own.map((one) => one.fee))];
  const write = (minor: bigint) => fromMinorUnits(minor, currency);
  return {
    category,
    currency: currency.toUpperCase(),
    count: own.length,
    amount: write(amount),
    fee: write(fee),
    net: write(amount - fee),
    paid:
      currency === "usd" || own.some(({ micros }) => micros === null)
        ? null
        : dollars(sumOf(own.map(({ micros }) => micros ?? 0n))),
    rate: currency === "usd" ? null : rateOf(own),
    known: category === OTHER_BUSINESS || kindOf(category) !== "unknown",
  };
}

/** Settled for each dollar paid, on average; null where nothing was converted. */
function rateOf(own: readonly Movement[]): string | null {
  if (own.some(({ micros }) => micros === null)) return null;
  const paid = sumOf(own.map(({ micros }) => abs(micros ?? 0n)));
  const [{ currency } = { currency: "" }] = own;
  const settled = fromDecimalString(fromMinorUnits(sumOf(own.map(({ amount }) => abs(amount))), currency));
  return paid === 0n ? null : formatDollars((settled * MICROS_PER_DOLLAR) / paid, 6);
}

function unknownCategory({ id, category, currency, amount }: Movement): ProviderDifference {
  return {
    payment_id: null,
    reference: id,
    currency: currency.toUpperCase(),
    provider: fromMinorUnits(amount, currency),
    ledger: "0.00",
    timing: false,
    text: `The provider calls this “${category}”, which this version does not know. Look it up at the provider.`,
  };
}

function dollars(micros: Micros): string {
  return fromMinorUnits(micros / fromCents(1), "usd");
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
