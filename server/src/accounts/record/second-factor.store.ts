import { type Selectable, sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { SecondFactorTables } from "./accounts.tables.ts";

export interface Authenticator {
  secret: Buffer;
  /** Id of the secret that sealed it. */
  secretKey: string;
  /** Null until its first code is confirmed. */
  confirmedAt: Date | null;
}

/** Code attempts per sign-in. */
export const MAX_ATTEMPTS = 5;

export type PasskeyRow = Selectable<SecondFactorTables["passkey"]>;

export function findAuthenticator(db: Tx, customerId: string): Promise<Authenticator | undefined> {
  return db
    .selectFrom("authenticator")
    .select(["secret", "secret_key as secretKey", "confirmed_at as confirmedAt"])
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
}

/** Whether sign-in also needs a code. */
export async function usesAuthenticator(db: Tx, customerId: string): Promise<boolean> {
  const confirmedAt = (await findAuthenticator(db, customerId))?.confirmedAt ?? null;
  return confirmedAt !== null;
}

/** Stores a secret that awaits its first code. Returns false if one is already in use. */
export async function storeNewAuthenticator(
  tx: Tx,
  wanted: { customerId: string; secret: Buffer; secretKey: string; now: Date },
): Promise<boolean> {
  const values = { secret: wanted.secret, secret_key: wanted.secretKey, created_at: wanted.now, last_step: 0n };
  const done = await tx
    .insertInto("authenticator")
    .values({ customer_id: wanted.customerId, ...values })
    .onConflict((conflict) => conflict.column("customer_id").doUpdateSet(values).where("authenticator.confirmed_at", "is", null))
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Activates the pending secret whose code was checked under the customer's lock. */
export async function confirmAuthenticator(
  tx: Transaction,
  wanted: { customerId: string; step: number; now: Date },
): Promise<void> {
  await tx
    .updateTable("authenticator")
    .set({ confirmed_at: wanted.now, last_step: BigInt(wanted.step) })
    .where("customer_id", "=", wanted.customerId)
    .execute();
}

/** Consumes a step's code. Returns false if it or a later one was used before: of two concurrent calls one gets true. */
export async function consumeStep(tx: Tx, customerId: string, step: number): Promise<boolean> {
  const done = await tx
    .updateTable("authenticator")
    .set({ last_step: BigInt(step) })
    .where("customer_id", "=", customerId)
    .where("last_step", "<", BigInt(step))
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Returns false if none was in use. Removes the recovery codes too. */
export async function deleteAuthenticator(tx: Tx, customerId: string): Promise<boolean> {
  await tx.deleteFrom("recovery_code").where("customer_id", "=", customerId).execute();
  const done = await tx.deleteFrom("authenticator").where("customer_id", "=", customerId).returning("confirmed_at").execute();
  return done.some((row) => row.confirmed_at !== null);
}

/** Removes a secret whose first code was never confirmed. */
export async function deleteWaitingAuthenticator(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("authenticator").where("customer_id", "=", customerId).where("confirmed_at", "is", null).execute();
}

/** Replaces all recovery codes. */
export async function replaceRecoveryCodes(
  tx: Tx,
  wanted: { customerId: string; codeHashes: readonly Buffer[]; now: Date },
): Promise<void> {
  await tx.deleteFrom("recovery_code").where("customer_id", "=", wanted.customerId).execute();
  const rows = wanted.codeHashes.map((code_hash) => ({
    customer_id: wanted.customerId,
    code_hash,
    created_at: wanted.now,
    used_at: null,
  }));
  await tx.insertInto("recovery_code").values(rows).execute();
}

/** Consumes a code. Returns false if there is no such code or it was used. */
export async function consumeRecoveryCode(tx: Tx, wanted: { customerId: string; codeHash: Buffer; now: Date }): Promise<boolean> {
  const done = await tx
    .updateTable("recovery_code")
    .set({ used_at: wanted.now })
    .where("customer_id", "=", wanted.customerId)
    .where("code_hash", "=", wanted.codeHash)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

export async function countRecoveryCodes(db: Tx, customerId: string): Promise<number> {
  const { left } = await db
    .selectFrom("recovery_code")
    .select((eb) => eb.fn.countAll<bigint>().as("left"))
    .where("customer_id", "=", customerId)
    .where("used_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(left);
}

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

export async function insertPasskeyChallenge(
  db: Tx,
  challenge: { hash: Buffer; customerId: string | null; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto("passkey_challenge")
    .values({ challenge_hash: challenge.hash, customer_id: challenge.customerId, expires_at: challenge.expiresAt })
    .execute();
}

/** Consumes a challenge. Returns false if it was not issued to this customer, was used, or expired. */
export async function consumePasskeyChallenge(
  db: Tx,
  wanted: { hash: Buffer; customerId: string | null; now: Date },
): Promise<boolean> {
  const done = await db
    .deleteFrom("passkey_challenge")
    .where("challenge_hash", "=", wanted.hash)
    .where("customer_id", "is not distinct from", wanted.customerId)
    .where("expires_at", ">", wanted.now)
    .executeTakeFirst();
  return done.numDeletedRows > 0n;
}

/** Returns false if this passkey is already registered. */
export async function insertPasskey(tx: Tx, passkey: PasskeyRow): Promise<boolean> {
  const done = await tx
    .insertInto("passkey")
    .values(passkey)
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Oldest first. */
export function listPasskeys(db: Tx, customerId: string): Promise<PasskeyRow[]> {
  return db.selectFrom("passkey").selectAll().where("customer_id", "=", customerId).orderBy("created_at").orderBy("id").execute();
}

export function findPasskey(db: Tx, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  return db.selectFrom("passkey").selectAll().where("credential_id", "=", credentialId).executeTakeFirst();
}

/** Records a signature counter. Returns false if another was recorded since the passkey was read. */
export async function markPasskeyUsed(
  tx: Tx,
  used: { id: string; countBefore: bigint; count: number; synced: boolean; now: Date },
): Promise<boolean> {
  const done = await tx
    .updateTable("passkey")
    .set({ sign_count: BigInt(used.count), synced: used.synced, last_used_at: used.now })
    .where("id", "=", used.id)
    .where("sign_count", "=", used.countBefore)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Deletes a customer's passkey. @returns its name, or undefined if it is not theirs */
export async function deletePasskey(tx: Tx, wanted: { id: string; customerId: string }): Promise<string | undefined> {
  const row = await tx
    .deleteFrom("passkey")
    .where("id", "=", wanted.id)
    .where("customer_id", "=", wanted.customerId)
    .returning("name")
    .executeTakeFirst();
  return row?.name;
}

/** Deletes a customer's passkeys. @returns their names */
export async function deletePasskeys(tx: Tx, customerId: string): Promise<string[]> {
  const rows = await tx.deleteFrom("passkey").where("customer_id", "=", customerId).returning("name").execute();
  return rows.map((row) => row.name);
}

export async function deletePasskeyChallenges(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("passkey_challenge").where("customer_id", "=", customerId).execute();
}
