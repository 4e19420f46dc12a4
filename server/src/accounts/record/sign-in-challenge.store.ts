import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";

/** Code attempts per sign-in. */
export const MAX_ATTEMPTS = 5;

export async function insertSignInChallenge(
  tx: Tx,
  challenge: { hash: Buffer; customerId: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await tx
    .insertInto("sign_in_challenge")
    .values({
      challenge_hash: challenge.hash,
      customer_id: challenge.customerId,
      created_at: challenge.createdAt,
      expires_at: challenge.expiresAt,
    })
    .execute();
}

/** Whether a sign-in waits for its second factor. */
export async function isOpenChallenge(db: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom("sign_in_challenge")
    .select("customer_id")
    .where("challenge_hash", "=", hash)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts an attempt before the code is checked. Returns the customer, or null if the sign-in expired. */
export async function countChallengeAttempt(db: Tx, hash: Buffer, now: Date): Promise<string | null> {
  const row = await db
    .updateTable("sign_in_challenge")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("challenge_hash", "=", hash)
    .where("tries", "<", MAX_ATTEMPTS)
    .where("expires_at", ">", now)
    .returning("customer_id")
    .executeTakeFirst();
  return row?.customer_id ?? null;
}

/** Ends a pending sign-in. Returns false if it ended before: of two concurrent calls one gets true. */
export async function deleteSignInChallenge(tx: Tx, hash: Buffer): Promise<boolean> {
  const done = await tx.deleteFrom("sign_in_challenge").where("challenge_hash", "=", hash).executeTakeFirst();
  return done.numDeletedRows > 0n;
}

export async function deleteAllSignInChallenges(tx: Tx): Promise<void> {
  await tx.deleteFrom("sign_in_challenge").execute();
}

export async function deleteSignInChallenges(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("sign_in_challenge").where("customer_id", "=", customerId).execute();
}

export async function deleteExpiredChallenges(db: Tx, now: Date, signal: AbortSignal): Promise<void> {
  for (const from of ["sign_in_challenge", "passkey_challenge"])
    await deleteRows(db, signal, { from, where: sql`expires_at <= ${now}` });
}
