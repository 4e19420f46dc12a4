import type { Tx } from "../../platform/database/database.ts";
import { PROFILE_COLUMNS, type Profile } from "./customer.store.ts";

/** A user's identity at an OpenID provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** The customer linked to an identity. */
export function findIdentityOwner(db: Tx, identity: Identity): Promise<Profile | undefined> {
  return db
    .selectFrom("identity")
    .innerJoin("customer", "customer.id", "identity.customer_id")
    .select(PROFILE_COLUMNS)
    .where("identity.issuer", "=", identity.issuer)
    .where("identity.subject", "=", identity.subject)
    .executeTakeFirst();
}

export function findIdentityOf(
  db: Tx,
  wanted: { customerId: string; issuer: string },
): Promise<{ subject: string; email: string; linkedAt: Date } | undefined> {
  return db
    .selectFrom("identity")
    .select(["subject", "email", "linked_at as linkedAt"])
    .where("customer_id", "=", wanted.customerId)
    .where("issuer", "=", wanted.issuer)
    .executeTakeFirst();
}

/** Throws an error that `isIdentityTakenError` recognises if the identity or the customer is already linked. */
export async function insertIdentity(
  tx: Tx,
  identity: Identity & { customerId: string; email: string; now: Date },
): Promise<void> {
  await tx
    .insertInto("identity")
    .values({
      issuer: identity.issuer,
      subject: identity.subject,
      customer_id: identity.customerId,
      email: identity.email,
      linked_at: identity.now,
    })
    .execute();
}

export function isIdentityTakenError(error: unknown): boolean {
  const { code, table } = error as { code?: string; table?: string };
  return code === "23505" && table === "identity";
}

/** @returns false if there was none */
export async function deleteIdentity(tx: Tx, wanted: { customerId: string; issuer: string }): Promise<boolean> {
  const done = await tx
    .deleteFrom("identity")
    .where("customer_id", "=", wanted.customerId)
    .where("issuer", "=", wanted.issuer)
    .executeTakeFirst();
  return done.numDeletedRows > 0n;
}

/** Unlinks a customer from every provider. @returns the email addresses of the identities */
export async function deleteIdentities(tx: Tx, customerId: string): Promise<string[]> {
  const rows = await tx.deleteFrom("identity").where("customer_id", "=", customerId).returning("email").execute();
  return rows.map((row) => row.email);
}

/** Whether a customer can sign in through a provider. */
export async function hasIdentity(db: Tx, customerId: string): Promise<boolean> {
  return (
    (await db.selectFrom("identity").select("subject").where("customer_id", "=", customerId).executeTakeFirst()) !== undefined
  );
}
