import type { Tx } from "../../platform/database/database.ts";

/** Codes that may be tried for one sign-in. */
export const MOST_TRIES = 5;

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

/** Counts a try before the code is looked at. Returns whose sign-in it is, or null when it has run out. */
export async function takeChallengeTry(db: Tx, hash: Buffer, now: Date): Promise<string | null> {
  const row = await db
    .updateTable("sign_in_challenge")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("challenge_hash", "=", hash)
    .where("tries", "<", MOST_TRIES)
    .where("expires_at", ">", now)
    .returning("customer_id")
    .executeTakeFirst();
  return row?.customer_id ?? null;
}

/** Ends a sign-in's wait. Returns false when that has happened before: of two at once, one gets true. */
export async function deleteSignInChallenge(tx: Tx, hash: Buffer): Promise<boolean> {
  const done = await tx.deleteFrom("sign_in_challenge").where("challenge_hash", "=", hash).executeTakeFirst();
  return done.numDeletedRows > 0n;
}

export async function deleteSignInChallenges(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("sign_in_challenge").where("customer_id", "=", customerId).execute();
}

export async function deleteExpiredChallenges(db: Tx, now: Date): Promise<void> {
  await db.deleteFrom("sign_in_challenge").where("expires_at", "<=", now).execute();
  await db.deleteFrom("passkey_challenge").where("expires_at", "<=", now).execute();
}
