import { sql } from "kysely";
import { payerOf } from "../record/call.store.ts";
import type { Tx } from "../../platform/database/database.ts";

export interface OwingCustomer {
  readonly customerId: string;
  readonly debtMicros: bigint;
}

/** How many of these calls are over, and what they cost. */
export async function sumCalls(tx: Tx, ids: readonly string[]): Promise<{ settled: number; chargedMicros: bigint }> {
  const { rows } = await sql<{ settled: number; charged: bigint }>`
    select count(*)::int as settled, coalesce(sum(charge_micros), 0)::bigint as charged
    from call where id = any(${ids}) and ended_at is not null`.execute(tx);
  return { settled: rows[0]?.settled ?? 0, chargedMicros: rows[0]?.charged ?? 0n };
}

/** The customers who pay for these calls and have debt. */
export async function readOwing(tx: Tx, ids: readonly string[]): Promise<OwingCustomer[]> {
  const { rows } = await sql<OwingCustomer>`
    select customer_id as "customerId", debt_micros as "debtMicros" from account
    where debt_micros > 0 and customer_id in (select ${payerOf} from call where id = any(${ids}))
    order by customer_id`.execute(tx);
  return rows;
}
