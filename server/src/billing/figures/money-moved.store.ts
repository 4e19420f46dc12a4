import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** What customers paid in a span, and what went back to them. */
export interface MoneyMoved {
  readonly topUps: number;
  readonly toppedUpMicros: bigint;
  /** Refunds and withdrawals, less those that failed. */
  readonly refunds: number;
  readonly refundedMicros: bigint;
}

/** By the ledger's bookings. */
export async function readMoneyMoved(db: Database, { from, to }: { from: Date; to: Date }): Promise<MoneyMoved> {
  const { rows } = await sql<MoneyMoved>`
    select count(*) filter (where t.kind = 'top_up')::int as "topUps",
      coalesce(sum(e.amount_micros) filter (where t.kind = 'top_up'), 0)::bigint as "toppedUpMicros",
      (count(*) filter (where t.kind in ('refund', 'withdrawal')) - count(*) filter (where t.kind = 'refund_failed'))::int as refunds,
      coalesce(-sum(e.amount_micros) filter (where t.kind <> 'top_up'), 0)::bigint as "refundedMicros"
    from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    where t.created_at >= ${from} and t.created_at < ${to} and t.kind in ('top_up', 'refund', 'withdrawal', 'refund_failed')`.execute(
    db,
  );
  return rows[0] ?? { topUps: 0, toppedUpMicros: 0n, refunds: 0, refundedMicros: 0n };
}
