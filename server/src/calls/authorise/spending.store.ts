import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** What a customer's calls have cost since then, and what running ones hold, in micro-dollars. */
export async function readSpending(tx: Tx, customerId: string, since: Date): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`select call_spending(${customerId}, ${since}, null, '') as micros`.execute(tx);
  return rows[0]?.micros ?? 0n;
}
