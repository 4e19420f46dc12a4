import type { BookLine } from "@farline/contract/operator/constants.ts";
import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import type { Context } from "../../context.ts";
import { type BooksLine, type LedgerSpan, readLedgerSpan, sumLedgerHours } from "../../ledger/ledger.ts";
import type { Database, Tx } from "../../platform/database/database.ts";
import type { Span } from "../../platform/split-span.ts";
import type { BillingTables } from "../record/billing.tables.ts";

export type ClosedMonth = Selectable<BillingTables["closed_month"]>;

/** What a line and a difference were before the report had currencies: all in dollars. */
const LINE_IN_DOLLARS = { currency: "USD", paid: null, rate: null, known: true };

const DIFFERENCE_IN_DOLLARS = { currency: "USD" };

const BEFORE_LATE_RECEIPTS = { late_receipts: [] };

/** The books of a span by the ledger. */
export function readLedgerMonth(db: Database, span: Span): Promise<LedgerSpan<BookLine>> {
  return readLedgerSpan<BookLine>(db, span, LINE);
}

/** Job: sums the ledger by the hour, so that a month is read in a moment. */
export function sumBooks(ctx: Context, signal: AbortSignal): Promise<void> {
  return sumLedgerHours(ctx, LINE, signal);
}

/** The line of the books that a transaction belongs to. */
const LINE: BooksLine = sql`case t.kind
  when 'top_up' then case when exists (select from payment p where p.id = t.reference_id and p.kind = 'auto') then 'auto_top_up' else 'top_up' end
  when 'call' then 'charge'
  when 'refund' then case when ${isOutside()} then 'refund_outside' else 'refund' end
  when 'bonus' then case when t.restores_id is not null then 'bonus_restored' when customer.micros < 0 then 'bonus_taken_back' else 'bonus_given' end
  when 'gift' then case when customer.micros < 0 then 'gift_sent' else 'gift_received' end
  when 'adjustment' then case when customer.micros < 0 then 'given_up' else 'adjustment' end
  else t.kind::text end`;

/** Whether a refund was paid by a transfer, without the provider. */
function isOutside(): RawBuilder<unknown> {
  return sql`exists (select from refund r where r.payment_id = t.reference_id and r.origin = 'outside' and t.idempotency_key = 'refund:' || r.id)`;
}

/** What a payment moved through the provider, by the ledger: in a span, and in a wider one. */
export interface PaymentNet {
  readonly paymentId: string;
  readonly intentId: string | null;
  readonly micros: bigint;
  readonly widerMicros: bigint;
}

/** Top-ups less refunds, withdrawals and disputes of each payment; refunds paid outside the provider are left out. */
export async function readPaymentNets(db: Database, span: Span, wider: Span): Promise<PaymentNet[]> {
  const { rows } = await sql<PaymentNet>`
    select p.id as "paymentId", p.payment_intent_id as "intentId",
      coalesce(sum(e.amount_micros) filter (where t.created_at >= ${span.from} and t.created_at < ${span.to}), 0)::bigint as micros,
      sum(e.amount_micros)::bigint as "widerMicros"
    from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    join payment p on p.id = t.reference_id
    where t.created_at >= ${wider.from} and t.created_at < ${wider.to}
      and t.kind in ('top_up', 'refund', 'withdrawal', 'refund_failed', 'dispute', 'dispute_won') and not ${isOutside()}
    group by 1, 2`.execute(db);
  return rows;
}

/** Intents of one statement. */
const INTENTS_AT_ONCE = 5_000;

/** Those of the payment intents that payments here have, of whatever time. */
export async function knownIntents(db: Database, intents: readonly string[]): Promise<string[]> {
  const known: string[] = [];
  for (let from = 0; from < intents.length; from += INTENTS_AT_ONCE) {
    const rows = await db
      .selectFrom("payment")
      .select("payment_intent_id")
      .where("payment_intent_id", "in", intents.slice(from, from + INTENTS_AT_ONCE))
      .execute();
    known.push(...rows.flatMap(({ payment_intent_id: intentId }) => intentId ?? []));
  }
  return known;
}

/** Receipts of the same kind, amount and tax, by the months of their payments and of the books that have them. */
export interface ReceiptSum {
  readonly kind: BillingTables["receipt"]["kind"];
  readonly amountMicros: bigint;
  readonly statedMicros: bigint | null;
  readonly taxMillipercent: number;
  readonly count: number;
  readonly paidMonth: string;
  /** Null if it is that of the payment. */
  readonly booksMonth: string | null;
}

/** Only receipts that state a tax: those that the month's books have, and those of its payments that came after it was closed. */
export async function readReceiptSums(tx: Tx, { from, to, month }: Span & { readonly month: string }): Promise<ReceiptSum[]> {
  const { rows } = await sql<ReceiptSum>`
    select kind, amount_micros as "amountMicros", tax_micros as "statedMicros", (seller ->> 'taxMillipercent')::int as "taxMillipercent",
      count(*)::int as count, to_char(paid_at at time zone 'UTC', 'YYYY-MM') as "paidMonth", books_month as "booksMonth"
    from receipt where (paid_at >= ${from} and paid_at < ${to} or books_month = ${month}) and (seller ->> 'taxMillipercent') is not null
    group by 1, 2, 3, 4, 6, 7 order by 4, 1, 2, 3, 6, 7`.execute(tx);
  return rows;
}

/** @param month "2026-11" */
export async function readClosing(tx: Tx, month: string): Promise<ClosedMonth | undefined> {
  const closed = await tx.selectFrom("closed_month").selectAll().where("month", "=", month).executeTakeFirst();
  if (closed === undefined) return undefined;
  const { lines, differences, ...provider } = closed.provider;
  return {
    ...closed,
    books: { ...BEFORE_LATE_RECEIPTS, ...closed.books },
    provider: {
      ...provider,
      lines: lines.map((line) => ({ ...LINE_IN_DOLLARS, ...line })),
      differences: differences.map((one) => ({ ...DIFFERENCE_IN_DOLLARS, ...one })),
    },
  };
}

/** False if the month is closed already. */
export async function insertClosing(tx: Tx, closing: Insertable<BillingTables["closed_month"]>): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await tx
    .insertInto("closed_month")
    .values(closing)
    .onConflict((conflict) => conflict.column("month").doNothing())
    .executeTakeFirstOrThrow();
  return inserted === 1n;
}
