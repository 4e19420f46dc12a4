import { type RawBuilder, sql } from "kysely";
import type { Transaction, Tx } from "../platform/database/database.ts";
import { splitSpan, type Span, type SpanParts } from "../platform/split-span.ts";

/** Longer than a request's time-out, for a day on which much was booked. */
const SUM_TIMEOUT = "10min";

/**
 * The SQL expression of the line of the books that an entry belongs to. `t` is its transaction, `customer.micros` what that moved on the
 * customer's account.
 */
export type BooksLine = RawBuilder<unknown>;

/** Customers' credit at one time, in micro-dollars. */
export interface Credit {
  /** Balances less debts. */
  readonly micros: bigint;
  readonly bonusMicros: bigint;
  /** What accounts below zero owe. */
  readonly owedMicros: bigint;
}

/** Movements of one line on one day. */
export interface Movement<Line extends string = string> {
  /** UTC: "2026-11-26". */
  readonly day: string;
  readonly line: Line;
  readonly count: number;
  readonly micros: bigint;
  readonly bonusMicros: bigint;
  /** The service's side, which mirrors `micros`. */
  readonly serviceMicros: bigint;
}

/** Rows of `ledger_hour`, from the entries booked in a span. */
function sumEntries({ from, to }: Span, line: BooksLine): RawBuilder<unknown> {
  return sql`
    select date_trunc('hour', t.created_at, 'UTC') as hour, ${line} as line, count(e.customer_id)::int as entries,
      coalesce(sum(e.amount_micros) filter (where e.customer_id is not null), 0)::bigint as micros, sum(e.bonus_micros)::bigint as bonus_micros,
      coalesce(sum(e.amount_micros) filter (where e.customer_id is null), 0)::bigint as service_micros
    from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
    cross join lateral (select case when e.customer_id is null then -e.amount_micros else e.amount_micros end as micros) customer
    where t.created_at >= ${from} and t.created_at < ${to}
    group by 1, 2`;
}

/** Rows of `ledger_hour_balance`: each account's running balance after its last entry in the hour, less that before its first one. */
function sumBalances({ from, to }: Span): RawBuilder<unknown> {
  return sql`
    select hour, sum(last[2] - coalesce(before.balance_after_micros, 0))::bigint as micros, sum(moved.bonus_micros)::bigint as bonus_micros,
      sum(greatest(-last[2], 0) - greatest(-coalesce(before.balance_after_micros, 0), 0))::bigint as owed_micros
    from (
      select date_trunc('hour', t.created_at, 'UTC') as hour, e.customer_id, min(e.sequence) as first,
        max(array[e.sequence, e.balance_after_micros]) as last, sum(e.bonus_micros) as bonus_micros
      from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
      where t.created_at >= ${from} and t.created_at < ${to}
      group by 1, 2
    ) moved
    left join ledger_entry before on before.customer_id = moved.customer_id and before.sequence = moved.first - 1
    group by 1`;
}

/** The movements of a span, by day and line. */
export async function readMovements<Line extends string>(tx: Tx, span: Span, line: BooksLine): Promise<Movement<Line>[]> {
  const parts = await findParts(tx, span);
  const hours = sumsOf("ledger_hour", parts, (part) => sumEntries(part, line));
  const { rows } = await sql<Movement<Line>>`
    select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as day, line, sum(entries)::int as count, sum(micros)::bigint as micros,
      sum(bonus_micros)::bigint as "bonusMicros", sum(service_micros)::bigint as "serviceMicros"
    from ${hours} hours group by 1, 2 order by 1, 2`.execute(tx);
  return rows;
}

/** How customers' credit changed in a span, by their running balances. */
export async function readCreditChange(tx: Tx, span: Span): Promise<Credit> {
  const { rows } = await sql<Credit>`
    select coalesce(sum(micros), 0)::bigint as micros, coalesce(sum(bonus_micros), 0)::bigint as "bonusMicros",
      coalesce(sum(owed_micros), 0)::bigint as "owedMicros"
    from ${sumsOf("ledger_hour_balance", await findParts(tx, span), sumBalances)} hours`.execute(tx);
  return rows[0] as Credit;
}

/** The accounts as they are now. */
export async function readAccountTotals(tx: Tx): Promise<Omit<Credit, "owedMicros">> {
  const { rows } = await sql<Omit<Credit, "owedMicros">>`
    select coalesce(sum(balance_micros - debt_micros), 0)::bigint as micros, coalesce(sum(bonus_micros), 0)::bigint as "bonusMicros"
    from account`.execute(tx);
  return rows[0] as Omit<Credit, "owedMicros">;
}

/** The rows of a table of sums for a span. Parts of hours, and hours that are not summed, are summed from the entries. */
function sumsOf(
  table: "ledger_hour" | "ledger_hour_balance",
  { summed, rest }: SpanParts,
  sumPart: (part: Span) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const stored = sql`select * from ${sql.table(table)} where hour >= ${summed.from} and hour < ${summed.to}`;
  return sql`(${sql.join([stored, ...rest.map((part) => sql`(${sumPart(part)})`)], sql` union all `)})`;
}

async function findParts(tx: Tx, span: Span): Promise<SpanParts> {
  return splitSpan(span, { ...(await findSummed(tx)), changed: [] });
}

/** The hours that are summed. */
export async function findSummed(tx: Tx): Promise<Span> {
  const { rows } = await sql<Span>`select since as "from", until as "to" from ledger_hours_summed`.execute(tx);
  return rows[0] as Span;
}

/**
 * Locks and returns the hours whose bookings are all in, but which are not summed. Null while another process sums.
 * @param order.lateMs bookings become visible within this time
 */
export async function lockUnsummed(tx: Transaction, { lateMs }: { readonly lateMs: number }): Promise<Span | null> {
  const { rows } = await sql<Span>`
    select until as "from", date_trunc('hour', now() - ${`${lateMs} ms`}::interval, 'UTC') as "to"
    from ledger_hours_summed for update skip locked`.execute(tx);
  return rows[0] ?? null;
}

/** Sums the entries of some whole hours, up to which everything is summed then. */
export async function sumHours(tx: Transaction, span: Span, line: BooksLine): Promise<void> {
  // For a day with many bookings, the planner prefers to read all entries since the first one.
  await sql`select set_config('statement_timeout', ${SUM_TIMEOUT}, true), set_config('enable_seqscan', 'off', true)`.execute(tx);
  const sums = { ledger_hour: sumEntries(span, line), ledger_hour_balance: sumBalances(span) };
  for (const [table, rows] of Object.entries(sums)) {
    await sql`delete from ${sql.table(table)} where hour >= ${span.from} and hour < ${span.to}`.execute(tx);
    await sql`insert into ${sql.table(table)} ${rows}`.execute(tx);
  }
  await sql`update ledger_hours_summed set until = ${span.to}`.execute(tx);
}

/** When the first transaction was posted, whose ids rise with time; null before any. */
export async function firstPosting(db: Tx): Promise<Date | null> {
  const first = await db.selectFrom("ledger_transaction").select("created_at").orderBy("id").limit(1).executeTakeFirst();
  return first?.created_at ?? null;
}
