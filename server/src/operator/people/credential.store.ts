import type { Tx } from "../../platform/database/database.ts";
import type { OperatorPasskey, OperatorRow, OperatorTables } from "../operator.tables.ts";

type PasswordRow = OperatorTables["operator_password"];

export async function insertPassword(tx: Tx, row: PasswordRow): Promise<void> {
  await tx.insertInto("operator_password").values(row).execute();
}

/** An operator with the password and authenticator of this address, who was not removed. */
export function findPasswordOf(
  db: Tx,
  emailLowerCase: string,
): Promise<(OperatorRow & Omit<PasswordRow, "created_at">) | undefined> {
  return db
    .selectFrom("operator as o")
    .innerJoin("operator_password as p", "p.operator_id", "o.id")
    .selectAll("o")
    .select(["p.operator_id", "p.password_hash", "p.password_key", "p.secret", "p.secret_key", "p.last_step"])
    .where((eb) => eb(eb.fn<string>("lower", ["o.email"]), "=", emailLowerCase))
    .where("o.removed_at", "is", null)
    .executeTakeFirst();
}

/** Rehashes a correct password with the present parameters. */
export async function storePasswordHash(
  db: Tx,
  wanted: { operatorId: string; hash: string; keyId: string | null; onlyInPlaceOf: string },
): Promise<void> {
  await db
    .updateTable("operator_password")
    .set({ password_hash: wanted.hash, password_key: wanted.keyId })
    .where("operator_id", "=", wanted.operatorId)
    .where("password_hash", "=", wanted.onlyInPlaceOf)
    .execute();
}

/** Uses a step's code up. Returns false if it or a later one was used before: of two concurrent calls one gets true. */
export async function consumeOperatorStep(tx: Tx, operatorId: string, step: number): Promise<boolean> {
  const done = await tx
    .updateTable("operator_password")
    .set({ last_step: BigInt(step) })
    .where("operator_id", "=", operatorId)
    .where("last_step", "<", BigInt(step))
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Returns false if this passkey is registered already. */
export async function insertOperatorPasskey(tx: Tx, passkey: OperatorPasskey): Promise<boolean> {
  const done = await tx
    .insertInto("operator_passkey")
    .values(passkey)
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export function findOperatorPasskey(db: Tx, credentialId: Buffer): Promise<OperatorPasskey | undefined> {
  return db.selectFrom("operator_passkey").selectAll().where("credential_id", "=", credentialId).executeTakeFirst();
}

/** Records a signature counter. Returns false if another was recorded since the passkey was read. */
export async function markOperatorPasskeyUsed(
  tx: Tx,
  used: { id: string; countBefore: bigint; count: number; now: Date },
): Promise<boolean> {
  const done = await tx
    .updateTable("operator_passkey")
    .set({ sign_count: BigInt(used.count), last_used_at: used.now })
    .where("id", "=", used.id)
    .where("sign_count", "=", used.countBefore)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

export async function insertOperatorChallenge(
  db: Tx,
  challenge: { hash: Buffer; operatorId: string | null; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto("operator_passkey_challenge")
    .values({ challenge_hash: challenge.hash, operator_id: challenge.operatorId, expires_at: challenge.expiresAt })
    .execute();
}

/** Consumes a challenge. Returns false if it was not issued to this operator, was used, or expired. */
export async function consumeOperatorChallenge(
  db: Tx,
  wanted: { hash: Buffer; operatorId: string | null; now: Date },
): Promise<boolean> {
  const done = await db
    .deleteFrom("operator_passkey_challenge")
    .where("challenge_hash", "=", wanted.hash)
    .where("operator_id", "is not distinct from", wanted.operatorId)
    .where("expires_at", ">", wanted.now)
    .executeTakeFirst();
  return done.numDeletedRows > 0n;
}
