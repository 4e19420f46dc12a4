import type { BookLine } from "@farline/contract/operator/constants.ts";
import { type RawBuilder, sql } from "kysely";
import type { Database, Tx } from "../../platform/database/database.ts";
import type { BillingTables } from "../record/billing.tables.ts";

export interface Span {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/** Customers' credit at one time, in micro-dollars. */
export interface BookEndRow {
  /** Balances less debts. */
  readonly micros: bigint;
  readonly bonusMicros: bigint;
  /** What accounts below zero owe. */
  readonly owedMicros: bigint;
}

export interface MovementRow {
  /** UTC: "2026-11-26". */
  readonly day: string;
  readonly line: BookLine;
  readonly count: number;
  readonly micros: bigint;
  readonly bonusMicros: bigint;
}

export interface LedgerMonth {
  /** By the running balances of the accounts' latest entries. */
  readonly opening: BookEndRow;
  readonly closing: BookEndRow;
  readonly movements: readonly MovementRow[];
  /** The service's side of the movements, which mirrors the customers'. */
  readonly serviceMicros: bigint;
  /** The accounts as they are now, less all entries since the end of the span. */
  readonly accounts: Pick<BookEndRow, "micros" | "bonusMicros">;
}

/** Longer than a request's timeout, because every entry is read. */
const TIMEOUT = "10min";

/** Reads the ledger of a span from one snapshot, so that bookings in progress cannot tear it. */
export async function readLedgerMonth(db: Database, span: Span): Promise<LedgerMonth> {
  // oxlint-disable-next-line farline/context-transactions -- one snapshot, read only
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${TIMEOUT}, true)`.execute(tx);
      return { ...(await readEnds(tx, span)), ...(await readMovements(tx, span)) };
    });
}

/** The position and balance of an account's latest entry that meets a condition: the running balance at that time. */
const latestBalance = (condition: RawBuilder<unknown>) =>
  sql`coalesce((max(array[e.sequence, e.balance_after_micros]) filter (where ${condition}))[2], 0)`;

async function readEnds(tx: Tx, { from, to }: Span): Promise<Pick<LedgerMonth, "opening" | "closing" | "accounts">> {
  const before = sql`t.created_at < ${from}`;
  const within = sql`t.created_at < ${to}`;
  const { rows } = await sql<Record<EndColumn, bigint>>`
    select coalesce(sum(opened), 0)::bigint as opened, coalesce(sum(opened_bonus), 0)::bigint as opened_bonus,
      coalesce(sum(greatest(-opened, 0)), 0)::bigint as opened_owed,
      coalesce(sum(closed), 0)::bigint as closed, coalesce(sum(closed_bonus), 0)::bigint as closed_bonus,
      coalesce(sum(greatest(-closed, 0)), 0)::bigint as closed_owed,
      ((select coalesce(sum(balance_micros - debt_micros), 0) from account) - coalesce(sum(since), 0))::bigint as accounts,
      ((select coalesce(sum(bonus_micros), 0) from account) - coalesce(sum(since_bonus), 0))::bigint as accounts_bonus
    from (
      select ${latestBalance(before)} as opened, ${latestBalance(within)} as closed,
        coalesce(sum(e.bonus_micros) filter (where ${before}), 0) as opened_bonus,
        coalesce(sum(e.bonus_micros) filter (where ${within}), 0) as closed_bonus,
        coalesce(sum(e.amount_micros) filter (where not ${within}), 0) as since,
        coalesce(sum(e.bonus_micros) filter (where not ${within}), 0) as since_bonus
      from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
      where e.customer_id is not null group by e.customer_id
    ) customer`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("A sum has one row.");
  return {
    opening: { micros: row.opened, bonusMicros: row.opened_bonus, owedMicros: row.opened_owed },
    closing: { micros: row.closed, bonusMicros: row.closed_bonus, owedMicros: row.closed_owed },
    accounts: { micros: row.accounts, bonusMicros: row.accounts_bonus },
  };
}

type EndColumn =
  | "opened"
  | "opened_bonus"
  | "opened_owed"
  | "closed"
  | "closed_bonus"
  | "closed_owed"
  | "accounts"
  | "accounts_bonus";

/** The line of the books that a transaction belongs to. */
const LINE = sql`case t.kind
  when 'top_up' then case when exists (select from payment p where p.id = t.reference_id and p.kind = 'auto') then 'auto_top_up' else 'top_up' end
  when 'call' then 'charge'
  when 'refund' then case when ${isOutside()} then 'refund_outside' else 'refund' end
  when 'bonus' then case when t.restores_id is not null then 'bonus_restored' when e.amount_micros < 0 then 'bonus_taken_back' else 'bonus_given' end
  when 'adjustment' then case when e.amount_micros < 0 then 'given_up' else 'adjustment' end
  else t.kind::text end`;

/** Whether a refund was paid by a transfer, without the provider. */
function isOutside(): RawBuilder<unknown> {
  return sql`exists (select from refund r where r.payment_id = t.reference_id and r.origin = 'outside' and t.idempotency_key = 'refund:' || r.id)`;
}

async function readMovements(tx: Tx, { from, to }: Span): Promise<Pick<LedgerMonth, "movements" | "serviceMicros">> {
  const { rows: movements } = await sql<MovementRow>`
    select to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, ${LINE} as line, count(*)::int as count,
      sum(e.amount_micros)::bigint as micros, sum(e.bonus_micros)::bigint as "bonusMicros"
    from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    where t.created_at >= ${from} and t.created_at < ${to} group by 1, 2 order by 1, 2`.execute(tx);
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(e.amount_micros), 0)::bigint as micros
    from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.system_account is not null
    where t.created_at >= ${from} and t.created_at < ${to}`.execute(tx);
  return { movements, serviceMicros: rows[0]?.micros ?? 0n };
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

/** Receipts of a span, by what decides their tax. */
export interface ReceiptSum {
  readonly kind: BillingTables["receipt"]["kind"];
  readonly amountMicros: bigint;
  readonly taxMillipercent: number;
  readonly count: number;
}

/** Only receipts that state a tax. */
export async function readReceiptSums(db: Database, { from, to }: Span): Promise<ReceiptSum[]> {
  const { rows } = await sql<ReceiptSum>`
    select kind, amount_micros as "amountMicros", (seller ->> 'taxMillipercent')::int as "taxMillipercent", count(*)::int as count
    from receipt where paid_at >= ${from} and paid_at < ${to} and (seller ->> 'taxMillipercent') is not null
    group by 1, 2, 3 order by 3, 1, 2`.execute(db);
  return rows;
}
