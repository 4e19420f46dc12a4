import type { Tx } from "../../platform/database/database.ts";

/** Opens the review of a frozen account. One that is open keeps its time and reason. */
export async function openReview(tx: Tx, review: { customerId: string; reason: string; at: Date }): Promise<void> {
  await tx
    .insertInto("freeze_review")
    .values({ customer_id: review.customerId, reason: review.reason, opened_at: review.at })
    .onConflict((conflict) => conflict.column("customer_id").doNothing())
    .execute();
}

/** @returns false if no review is open */
export async function deleteReview(tx: Tx, customerId: string): Promise<boolean> {
  const done = await tx.deleteFrom("freeze_review").where("customer_id", "=", customerId).executeTakeFirst();
  return done.numDeletedRows > 0n;
}

/** Whether a review is open. */
export async function findReview(tx: Tx, customerId: string): Promise<boolean> {
  const found = await tx
    .selectFrom("freeze_review")
    .select("customer_id")
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
  return found !== undefined;
}
