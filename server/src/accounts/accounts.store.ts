import { sql } from "kysely";
import type { Database, Tx } from "../platform/database.ts";

/** A person who calls. */
export interface Customer {
  id: string;
  name: string;
  email: string;
  status: "active" | "frozen";
  emailVerified: boolean;
  createdAt: Date;
}

const CUSTOMER_COLUMNS = [
  "customer.id as id",
  "customer.name as name",
  "customer.email as email",
  "customer.status as status",
  "customer.email_verified as emailVerified",
  "customer.created_at as createdAt",
] as const;

/** Addresses differ in capitals only by accident. */
export function emailKey(email: string): string {
  return email.toLowerCase();
}

export async function emailIsTaken(db: Tx, email: string): Promise<boolean> {
  return (await db.selectFrom("customer").select("id").where("email_key", "=", emailKey(email)).executeTakeFirst()) !== undefined;
}

export async function insertCustomer(tx: Tx, customer: Customer & { passwordHash: string | null }): Promise<void> {
  await tx
    .insertInto("customer")
    .values({
      id: customer.id,
      name: customer.name,
      email: customer.email,
      email_key: emailKey(customer.email),
      password_hash: customer.passwordHash,
      email_verified: customer.emailVerified,
      status: customer.status,
      created_at: customer.createdAt,
    })
    .execute();
}

/** Whether the database refused a customer because the address has one. */
export function isEmailTakenError(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === "23505" && constraint === "customer_email_key_key";
}

export function findByEmail(db: Tx, email: string): Promise<(Customer & { passwordHash: string | null }) | undefined> {
  return db
    .selectFrom("customer")
    .select([...CUSTOMER_COLUMNS, "customer.password_hash as passwordHash"])
    .where("email_key", "=", emailKey(email))
    .executeTakeFirst();
}

/** The session of a token that is still good, with its customer. */
export function findSession(
  db: Tx,
  wanted: { tokenHash: Buffer; now: Date; idleSince: Date },
): Promise<(Customer & { sessionId: string; lastSeenAt: Date }) | undefined> {
  return db
    .selectFrom("session")
    .innerJoin("customer", "customer.id", "session.customer_id")
    .select([...CUSTOMER_COLUMNS, "session.id as sessionId", "session.last_seen_at as lastSeenAt"])
    .where("session.token_hash", "=", wanted.tokenHash)
    .where("session.expires_at", ">", wanted.now)
    .where("session.last_seen_at", ">", wanted.idleSince)
    .executeTakeFirst();
}

/**
 * Adds a session and drops the customer's longest unused ones beyond `most`. Takes turns on the customer, so that
 * sign-ins at the same time keep to the bound.
 */
export async function insertSession(
  tx: Tx,
  session: { id: string; customerId: string; tokenHash: Buffer; now: Date; expiresAt: Date; most: number },
): Promise<void> {
  await sql`select 1 from customer where id = ${session.customerId} for update`.execute(tx);
  await tx
    .insertInto("session")
    .values({
      id: session.id,
      customer_id: session.customerId,
      token_hash: session.tokenHash,
      created_at: session.now,
      last_seen_at: session.now,
      expires_at: session.expiresAt,
    })
    .execute();
  await sql`
    delete from session where customer_id = ${session.customerId} and id in (
      select id from session where customer_id = ${session.customerId}
      order by last_seen_at desc, id desc offset ${session.most})`.execute(tx);
}

export async function touchSession(db: Tx, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable("session")
    .set({ last_seen_at: now })
    .where("id", "=", sessionId)
    .where("last_seen_at", "<", now)
    .execute();
}

export async function deleteSession(db: Tx, tokenHash: Buffer): Promise<void> {
  await db.deleteFrom("session").where("token_hash", "=", tokenHash).execute();
}

/** Removes sessions that are no longer good, and counters of limits that have run out. */
export async function deleteExpired(db: Database, bounds: { now: Date; idleSince: Date }): Promise<void> {
  await db
    .deleteFrom("session")
    .where((eb) => eb.or([eb("expires_at", "<=", bounds.now), eb("last_seen_at", "<=", bounds.idleSince)]))
    .execute();
  await sql`delete from rate_limit where expire < ${bounds.now.getTime()}`.execute(db);
}
