import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction, Tx } from "../platform/database/database.ts";
import { floorHour } from "../platform/split-span.ts";
import { findSummed } from "./ledger-hours.store.ts";

/** An inconsistency in the ledger. Amounts in micro-dollars. */
export interface LedgerDrift {
  readonly check:
    | "transaction_balanced"
    | "balance_is_sum_of_entries"
    | "bonus_is_sum_of_entries"
    | "entries_without_gaps"
    | "held_is_sum_of_holds"
    | "hour_is_sum_of_entries";
  /** The id of the transaction or customer, or the hour: "2026-11-26T14:00Z". */
  readonly id: string;
  readonly expected: bigint;
  readonly actual: bigint;
}

/** What a check reads: everything, or what was booked since an earlier one, and the accounts that were moved. */
type LedgerRange =
  | "all"
  | {
      readonly since: Date;
      /** Before all pending holds, unless something is wrong. */
      readonly holdsSince: Date;
      /** Sums of earlier hours have been checked. */
      readonly hoursSince: Date;
      readonly customers: readonly string[];
    };

/** Bounds the report of a badly corrupted ledger. */
const MAX_DRIFTS_PER_CHECK = 100;

/** Longer than a request's time-out, because a whole check reads every entry. */
const TIMEOUT = "1h";

/** The latest check of the ledger. */
export interface LedgerCheck {
  readonly at: Date;
  readonly deviations: number;
  /** The latest one that found no deviation; null if none has. */
  readonly goodAt: Date | null;
  /** By the database's clock: what was booked before it has been checked. */
  readonly bookedTo: Date | null;
  /** When everything was last checked. */
  readonly wholeAt: Date | null;
}

/** Reads on one snapshot, so that bookings in progress are no drift. @param read gets the snapshot's time by the database's clock */
export function onSnapshot<Result>(db: Database, read: (tx: Transaction, at: Date) => Promise<Result>): Promise<Result> {
  // oxlint-disable-next-line farline/context-transactions -- one snapshot; writes only what a check found
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${TIMEOUT}, true)`.execute(tx);
      const { rows } = await sql<{ at: Date }>`select now() as at`.execute(tx);
      return read(tx, (rows[0] as { at: Date }).at);
    });
}

/** Finds the inconsistencies of a range, at most 100 per check. */
export async function findDrift(tx: Tx, range: LedgerRange): Promise<LedgerDrift[]> {
  const found: LedgerDrift[] = [];
  for (const check of [unbalancedTransactions(range), wrongAccounts(range)]) found.push(...(await check.execute(tx)).rows);
  return [...found, ...(await findWrongHolds(tx, range)), ...(await findWrongHours(tx, range))];
}

/** The sums of an hour are those of its entries. */
async function findWrongHours(tx: Tx, range: LedgerRange): Promise<LedgerDrift[]> {
  const { from: since, to: until } = await findSummed(tx);
  const from = range === "all" || range.hoursSince < since ? since : new Date(floorHour(range.hoursSince.getTime()));
  const { rows } = await sql<LedgerDrift>`
    select distinct on (hour) 'hour_is_sum_of_entries' as "check", to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') as id,
      coalesce(c.expected, 0)::bigint as expected, coalesce(c.actual, 0)::bigint as actual
    from (
      select date_trunc('hour', t.created_at, 'UTC') as hour, count(e.customer_id) as entries, sum(e.bonus_micros) as bonus,
        sum(e.amount_micros) filter (where e.customer_id is not null) as micros,
        sum(e.amount_micros) filter (where e.customer_id is null) as service
      from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
      where t.created_at >= ${from} and t.created_at < ${until} group by 1
    ) booked
    full join (
      select hour, sum(entries) as entries, sum(bonus_micros) as bonus, sum(micros) as micros, sum(service_micros) as service
      from ledger_hour where hour >= ${from} and hour < ${until} group by 1
    ) summed using (hour)
    cross join lateral (values (1, booked.micros, summed.micros), (2, booked.bonus, summed.bonus), (3, booked.service, summed.service),
      (4, booked.entries, summed.entries)) as c(place, expected, actual)
    where coalesce(c.expected, 0) <> coalesce(c.actual, 0)
    order by hour, c.place limit ${MAX_DRIFTS_PER_CHECK}`.execute(tx);
  return rows;
}

/** An account with a pending hold from before the range looks wrong at first, so all its holds are then read. */
async function findWrongHolds(tx: Tx, range: LedgerRange): Promise<LedgerDrift[]> {
  if (range === "all") return (await wrongHolds(sql`true`, sql`true`).execute(tx)).rows;
  const recent = sql`created_at >= ${range.holdsSince}`;
  const suspects = (await wrongHolds(recent, ofCustomers(range.customers)).execute(tx)).rows.map(({ id }) => id);
  return suspects.length === 0 ? [] : (await wrongHolds(sql`true`, ofCustomers(suspects)).execute(tx)).rows;
}

/** The customers whose accounts were moved since a time, and those who had a hold. */
export async function findMovedCustomers(tx: Tx, { since, holdsSince }: { since: Date; holdsSince: Date }): Promise<string[]> {
  const { rows } = await sql<{ customer_id: string }>`
    select customer_id from ledger_transaction where created_at >= ${since}
    union select customer_id from hold where created_at >= ${holdsSince}`.execute(tx);
  return rows.map((row) => row.customer_id);
}

/** Notes that these accounts are right up to their latest entries. */
export async function markAccounts(tx: Tx, customers: readonly string[]): Promise<void> {
  await sql`
    insert into ledger_mark (customer_id, sequence, net_micros, bonus_micros)
    select customer_id, entry_count, balance_micros - debt_micros, bonus_micros from account
    where customer_id = any(${customers}::uuid[]) and entry_count > 0
    on conflict (customer_id) do update
    set sequence = excluded.sequence, net_micros = excluded.net_micros, bonus_micros = excluded.bonus_micros
    where ledger_mark.sequence <> excluded.sequence`.execute(tx);
}

/** A transaction has two entries that sum to zero: one of a system account, one of its own customer and kind. */
function unbalancedTransactions(range: LedgerRange): RawBuilder<LedgerDrift> {
  const transactions =
    range === "all" ? sql`ledger_transaction` : sql`(select * from ledger_transaction where created_at >= ${range.since})`;
  const entries =
    range === "all"
      ? sql`ledger_entry`
      : sql`ledger_entry where transaction_id in (select id from ledger_transaction where created_at >= ${range.since})`;
  return sql<LedgerDrift>`
    select 'transaction_balanced' as "check", coalesce(t.id, e.transaction_id) as id, 0::bigint as expected,
      coalesce(e.total, 0)::bigint as actual
    from ${transactions} t
    full join (
      select transaction_id, sum(amount_micros) as total, count(*) as entries, count(customer_id) as of_customers,
        count(system_account) as of_the_service, (array_agg(customer_id) filter (where customer_id is not null))[1] as customer_id,
        max(kind) as kind
      from ${entries} group by 1
    ) e on e.transaction_id = t.id
    where ((e.total, e.entries, e.of_customers, e.of_the_service) is distinct from (0, 2, 1, 1)
        or (e.customer_id, e.kind) is distinct from (t.customer_id, t.kind))
      -- Taking back a bonus that was fully spent leaves a transaction without entries.
      and not (e.entries is null and t.kind = 'bonus' and t.shortfall_micros > 0)
    limit ${MAX_DRIFTS_PER_CHECK}`;
}

/** Accounts with the sums of their entries. In a range, the entries up to an account's mark count with the mark's sums. */
function summedAccounts(range: LedgerRange): RawBuilder<unknown> {
  if (range === "all")
    return sql`
      account a left join (
        select customer_id, sum(amount_micros) as net, sum(bonus_micros) as bonus, count(*) as entries, max(sequence) as newest
        from ledger_entry where customer_id is not null group by 1
      ) e using (customer_id)`;
  return sql`
    unnest(${range.customers}::uuid[]) as customer_id
    join account a using (customer_id)
    left join ledger_mark m using (customer_id)
    cross join lateral (
      select coalesce(m.net_micros, 0) + coalesce(sum(amount_micros), 0) as net,
        coalesce(m.bonus_micros, 0) + coalesce(sum(bonus_micros), 0) as bonus,
        coalesce(m.sequence, 0) + count(*) as entries, coalesce(max(sequence), m.sequence, 0) as newest
      from ledger_entry where ledger_entry.customer_id = a.customer_id and sequence > coalesce(m.sequence, 0)
    ) e`;
}

/** An account's balance (minus debt) and bonus are the sums of its entries, which are numbered without gaps. */
function wrongAccounts(range: LedgerRange): RawBuilder<LedgerDrift> {
  return sql<LedgerDrift>`
    select "check", id, expected, actual from (
      select c."check", a.customer_id as id, c.expected::bigint, c.actual::bigint, row_number() over (partition by c."check") as place
      from ${summedAccounts(range)}
      cross join lateral (values
        ('balance_is_sum_of_entries', coalesce(e.net, 0), a.balance_micros - a.debt_micros),
        ('bonus_is_sum_of_entries', coalesce(e.bonus, 0), a.bonus_micros),
        ('entries_without_gaps', a.entry_count, case coalesce(e.entries, 0) when a.entry_count then coalesce(e.newest, 0) else coalesce(e.entries, 0) end)
      ) as c("check", expected, actual)
      where c.expected <> c.actual
    ) wrong
    where place <= ${MAX_DRIFTS_PER_CHECK}`;
}

/** An account's held amount is the sum of its pending holds. */
function wrongHolds(holds: RawBuilder<unknown>, accounts: RawBuilder<unknown>): RawBuilder<LedgerDrift> {
  return sql<LedgerDrift>`
    select 'held_is_sum_of_holds' as "check", a.customer_id as id, coalesce(h.total, 0)::bigint as expected, a.held_micros as actual
    from account a
    left join (
      select customer_id, sum(amount_micros) as total from hold where state = 'pending' and ${holds} group by 1
    ) h using (customer_id)
    where a.held_micros <> coalesce(h.total, 0) and ${accounts}
    limit ${MAX_DRIFTS_PER_CHECK}`;
}

function ofCustomers(customers: readonly string[]): RawBuilder<unknown> {
  return sql`a.customer_id = any(${customers}::uuid[])`;
}

export async function recordCheck(
  db: Database,
  { at, deviations, bookedTo, wholeAt }: Omit<LedgerCheck, "goodAt">,
): Promise<void> {
  const good = deviations === 0 ? { good_at: at } : {};
  const row = { checked_at: at, deviations, booked_to: bookedTo, whole_at: wholeAt, ...good };
  await db
    .insertInto("ledger_check")
    .values({ only_row: true, ...row })
    .onConflict((conflict) => conflict.column("only_row").doUpdateSet(row))
    .execute();
}

/** Null before the first check. */
export async function latestCheck(db: Database): Promise<LedgerCheck | null> {
  const row = await db
    .selectFrom("ledger_check")
    .select(["checked_at as at", "deviations", "good_at as goodAt", "booked_to as bookedTo", "whole_at as wholeAt"])
    .executeTakeFirst();
  return row ?? null;
}
