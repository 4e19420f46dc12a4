import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { CustomerLinkUse } from "./accounts.tables.ts";

export interface MailLink {
  id: string;
  customerId: string;
  emailKey: string;
  emailChangeId: string | null;
  expiresAt: Date;
  usedAt: Date | null;
  /** The session that asked for it, in which alone its code works; null if an operator did. */
  sessionId: string | null;
}

export async function insertMailLink(
  tx: Tx,
  link: Omit<MailLink, "usedAt"> & { use: CustomerLinkUse; createdAt: Date },
): Promise<void> {
  await tx
    .insertInto("mail_link")
    .values({
      id: link.id,
      customer_id: link.customerId,
      use: link.use,
      email_key: link.emailKey,
      email_change_id: link.emailChangeId,
      session_id: link.sessionId,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
      used_at: null,
    })
    .execute();
}

const COLUMNS = [
  "id",
  "customer_id as customerId",
  "email_key as emailKey",
  "email_change_id as emailChangeId",
  "expires_at as expiresAt",
  "used_at as usedAt",
  "session_id as sessionId",
] as const;

/** A link that has not expired, used or not. */
export function findMailLink(db: Tx, wanted: { id: string; use: CustomerLinkUse; now: Date }): Promise<MailLink | undefined> {
  return db
    .selectFrom("mail_link")
    .select(COLUMNS)
    .where("id", "=", wanted.id)
    .where("use", "=", wanted.use)
    .where("expires_at", ">", wanted.now)
    .executeTakeFirst();
}

/**
 * The newest link that verifies a customer's address, if it was mailed after `since`, is unused and had fewer than `maxTries` codes typed for
 * it. Counts one more.
 * @returns with the codes typed so far, this one included
 */
export async function countCodeTry(
  tx: Tx,
  wanted: { customerId: string; since: Date; maxTries: number },
): Promise<(MailLink & { tries: number }) | undefined> {
  return tx
    .updateTable("mail_link")
    .set((eb) => ({ code_tries: eb("code_tries", "+", 1) }))
    .where("id", "=", (eb) =>
      eb
        .selectFrom("mail_link")
        .select("id")
        .where("customer_id", "=", wanted.customerId)
        .where("use", "=", "verify_email")
        .orderBy("created_at", "desc")
        .limit(1),
    )
    .where("created_at", ">", wanted.since)
    .where("used_at", "is", null)
    .where("code_tries", "<", wanted.maxTries)
    .returning([...COLUMNS, "code_tries as tries"])
    .executeTakeFirst();
}

/** Consumes a link. Returns false if it was consumed before: of two concurrent calls one gets true. */
export async function consumeMailLink(tx: Tx, id: string, now: Date): Promise<boolean> {
  const done = await tx
    .updateTable("mail_link")
    .set({ used_at: now })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Invalidates every customer's links. */
export async function deleteAllMailLinks(tx: Tx): Promise<void> {
  await tx.deleteFrom("mail_link").execute();
}

/** Invalidates a customer's links of one kind. */
export async function deleteMailLinks(tx: Tx, wanted: { customerId: string; use: CustomerLinkUse }): Promise<void> {
  await tx.deleteFrom("mail_link").where("customer_id", "=", wanted.customerId).where("use", "=", wanted.use).execute();
}

export async function insertResetRequest(
  db: Tx,
  request: { id: string; emailKey: string; browserHash: Buffer | null; now: Date },
): Promise<void> {
  await db
    .insertInto("password_reset_request")
    .values({ id: request.id, email_key: request.emailKey, requested_at: request.now, browser_hash: request.browserHash })
    .execute();
}

/** Dequeues the oldest request. A rollback restores it. */
export async function dequeueResetRequest(tx: Tx): Promise<{ emailKey: string; browserHash: Buffer | null } | undefined> {
  const { rows } = await sql<{ emailKey: string; browserHash: Buffer | null }>`
    delete from password_reset_request where id in (
      select id from password_reset_request order by requested_at limit 1 for update skip locked)
    returning email_key as "emailKey", browser_hash as "browserHash"`.execute(tx);
  return rows[0];
}
