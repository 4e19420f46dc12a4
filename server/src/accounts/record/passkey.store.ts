import type { Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { SecondFactorTables } from "./accounts.tables.ts";

export type PasskeyRow = Selectable<SecondFactorTables["passkey"]>;

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
