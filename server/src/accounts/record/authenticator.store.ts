import type { Transaction, Tx } from "../../platform/database/database.ts";

export interface Authenticator {
  secret: Buffer;
  /** Id of the secret that sealed it. */
  secretKey: string;
  /** Null until its first code is confirmed. */
  confirmedAt: Date | null;
}

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
