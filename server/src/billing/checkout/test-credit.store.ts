import type { Tx } from "../../platform/database/database.ts";

/** The customer's test credit since a time, in micro-dollars. */
export async function testCreditSince(tx: Tx, customerId: string, since: Date): Promise<bigint> {
  const { total } = await tx
    .selectFrom("test_credit_grant")
    .select((eb) => eb.cast<bigint>(eb.fn.coalesce(eb.fn.sum("amount_micros"), eb.lit(0)), "bigint").as("total"))
    .where("customer_id", "=", customerId)
    .where("created_at", ">", since)
    .executeTakeFirstOrThrow();
  return total;
}

export async function insertTestCredit(
  tx: Tx,
  grant: { id: string; customerId: string; amountMicros: bigint; now: Date },
): Promise<void> {
  await tx
    .insertInto("test_credit_grant")
    .values({ id: grant.id, customer_id: grant.customerId, amount_micros: grant.amountMicros, created_at: grant.now })
    .execute();
}
