import { sql } from "kysely";
import type { Database } from "../platform/database/database.ts";

/** An inconsistency in the ledger. Amounts in micro-dollars. */
export interface LedgerDrift {
  readonly check:
    | "transaction_balanced"
    | "balance_is_sum_of_entries"
    | "bonus_is_sum_of_entries"
    | "entries_without_gaps"
    | "held_is_sum_of_holds";
  /** The id of the transaction or customer. */
  readonly id: string;
  readonly expected: bigint;
  readonly actual: bigint;
}

/** Bounds the report of a badly corrupted ledger. */
const MAX_DRIFTS_PER_CHECK = 100;
/** Longer than a request's timeout, because the checks read every entry. */
const TIMEOUT = "10min";

const checks = [
  // A transaction has two entries that sum to zero: one of a system account, one of its own customer and kind.
  sql<LedgerDrift>`
    select 'transaction_balanced' as "check", coalesce(t.id, e.transaction_id) as id, 0::bigint as expected,
      coalesce(e.total, 0)::bigint as actual
    from ledger_transaction t
    full join (
      select transaction_id, sum(amount_micros) as total, count(*) as entries, count(customer_id) as of_customers,
        count(system_account) as of_the_service, (array_agg(customer_id) filter (where customer_id is not null))[1] as customer_id,
        max(kind) as kind
      from ledger_entry group by 1
    ) e on e.transaction_id = t.id
    where ((e.total, e.entries, e.of_customers, e.of_the_service) is distinct from (0, 2, 1, 1)
        or (e.customer_id, e.kind) is distinct from (t.customer_id, t.kind))
      -- Taking back a bonus that was fully spent leaves a transaction without entries.
      and not (e.entries is null and t.kind = 'bonus' and t.shortfall_micros > 0)
    limit ${MAX_DRIFTS_PER_CHECK}`,
  sql<LedgerDrift>`
    select 'balance_is_sum_of_entries' as "check", a.customer_id as id, coalesce(e.total, 0)::bigint as expected,
      a.balance_micros - a.debt_micros as actual
    from account a
    left join (select customer_id, sum(amount_micros) as total from ledger_entry where customer_id is not null group by 1) e
      using (customer_id)
    where a.balance_micros - a.debt_micros <> coalesce(e.total, 0)
    limit ${MAX_DRIFTS_PER_CHECK}`,
  sql<LedgerDrift>`
    select 'bonus_is_sum_of_entries' as "check", a.customer_id as id, coalesce(e.total, 0)::bigint as expected,
      a.bonus_micros as actual
    from account a
    left join (select customer_id, sum(bonus_micros) as total from ledger_entry where customer_id is not null group by 1) e
      using (customer_id)
    where a.bonus_micros <> coalesce(e.total, 0)
    limit ${MAX_DRIFTS_PER_CHECK}`,
  sql<LedgerDrift>`
    select 'entries_without_gaps' as "check", a.customer_id as id, a.entry_count as expected, coalesce(e.entries, 0)::bigint as actual
    from account a
    left join (
      select customer_id, count(*) as entries, max(sequence) as newest from ledger_entry where customer_id is not null group by 1
    ) e using (customer_id)
    where a.entry_count <> coalesce(e.entries, 0) or a.entry_count <> coalesce(e.newest, 0)
    limit ${MAX_DRIFTS_PER_CHECK}`,
  sql<LedgerDrift>`
    select 'held_is_sum_of_holds' as "check", a.customer_id as id, coalesce(h.total, 0)::bigint as expected, a.held_micros as actual
    from account a
    left join (select customer_id, sum(amount_micros) as total from hold where state = 'pending' group by 1) h using (customer_id)
    where a.held_micros <> coalesce(h.total, 0)
    limit ${MAX_DRIFTS_PER_CHECK}`,
];

/** Runs all checks on one snapshot, so that concurrent bookings are not reported as drift. */
export async function findLedgerDrift(db: Database): Promise<LedgerDrift[]> {
  // oxlint-disable-next-line farline/context-transactions -- one snapshot, read only
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${TIMEOUT}, true)`.execute(tx);
      const found: LedgerDrift[] = [];
      for (const check of checks) found.push(...(await check.execute(tx)).rows);
      return found;
    });
}
