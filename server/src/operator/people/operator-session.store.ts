import { type Insertable, sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { OperatorRow, OperatorTables } from "../operator.tables.ts";

type SessionRow = OperatorTables["operator_session"];

/** A valid session and its operator. */
export interface OperatorSession {
  readonly sessionId: string;
  readonly kind: SessionRow["kind"];
  readonly provedAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly operator: Pick<OperatorRow, "id" | "email" | "name" | "role">;
}

/** Browsers of one operator; the least recently used ones are forgotten. */
const MAX_BROWSERS = 10;

export async function insertOperatorSession(tx: Tx, row: Insertable<SessionRow>): Promise<void> {
  await tx.insertInto("operator_session").values(row).execute();
}

export async function findOperatorSession(
  db: Tx,
  wanted: { tokenHash: Buffer; kind: SessionRow["kind"]; now: Date; idleSince: Date },
): Promise<OperatorSession | undefined> {
  const row = await db
    .selectFrom("operator_session as s")
    .innerJoin("operator as o", "o.id", "s.operator_id")
    .select([
      "s.id as sessionId",
      "s.kind",
      "s.proved_at as provedAt",
      "s.last_seen_at as lastSeenAt",
      "s.expires_at as expiresAt",
    ])
    .select(["o.id", "o.email", "o.name", "o.role"])
    .where("s.token_hash", "=", wanted.tokenHash)
    .where("s.kind", "=", wanted.kind)
    .where("s.expires_at", ">", wanted.now)
    .where("s.last_seen_at", ">", wanted.idleSince)
    .where("o.removed_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, email, name, role, ...session } = row;
  return { ...session, operator: { id, email, name, role } };
}

/** A session that is still valid. @param wanted.isHeld it cannot be ended until the transaction ends */
export function readSession(
  tx: Transaction,
  wanted: { sessionId: string; operatorId: string; now: Date; idleSince: Date; isHeld: boolean },
): Promise<{ provedAt: Date } | undefined> {
  const { sessionId, operatorId, now, idleSince, isHeld } = wanted;
  return tx
    .selectFrom("operator_session")
    .select("proved_at as provedAt")
    .where("id", "=", sessionId)
    .where("operator_id", "=", operatorId)
    .where("expires_at", ">", now)
    .where("last_seen_at", ">", idleSince)
    .$if(isHeld, (query) => query.forKeyShare())
    .executeTakeFirst();
}

export async function touchOperatorSession(db: Tx, sessionId: string, now: Date): Promise<void> {
  await db.updateTable("operator_session").set({ last_seen_at: now }).where("id", "=", sessionId).execute();
}

/** Ends the session with this token; nothing happens without one. */
export async function deleteOperatorSession(db: Tx, tokenHash: Buffer): Promise<void> {
  await db.deleteFrom("operator_session").where("token_hash", "=", tokenHash).execute();
}

/** Ends an operator's sessions, and forgets the browsers, which may be a thief's. @returns how many sessions */
export async function deleteOperatorSessions(db: Tx, operatorId: string): Promise<number> {
  await db.deleteFrom("operator_browser").where("operator_id", "=", operatorId).execute();
  const done = await db.deleteFrom("operator_session").where("operator_id", "=", operatorId).executeTakeFirst();
  return Number(done.numDeletedRows);
}

/** Ends every operator's sessions, waiting command lines and invitations, because some may have ended after a back-up. */
export async function endAllOperatorAccess(tx: Tx): Promise<void> {
  await tx.deleteFrom("operator_session").execute();
  await tx.deleteFrom("operator_command_line").execute();
  await tx.deleteFrom("operator_invitation").execute();
  await tx.deleteFrom("operator_passkey_challenge").execute();
}

/** A command line that waits to be signed in. */
export async function insertCommandLine(db: Tx, row: OperatorTables["operator_command_line"]): Promise<void> {
  await db.insertInto("operator_command_line").values(row).execute();
}

export function findCommandLine(
  db: Tx,
  codeHash: Buffer,
  now: Date,
): Promise<{ token_hash: Buffer; device: string } | undefined> {
  return db
    .selectFrom("operator_command_line")
    .select(["token_hash", "device"])
    .where("code_hash", "=", codeHash)
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

/** Returns false if it was signed in before: of two concurrent calls one gets true. */
export async function deleteCommandLine(tx: Tx, codeHash: Buffer): Promise<boolean> {
  const done = await tx.deleteFrom("operator_command_line").where("code_hash", "=", codeHash).executeTakeFirst();
  return done.numDeletedRows > 0n;
}

/** Deletes what has expired: sessions, browsers, waiting command lines, invitations and challenges. */
export async function deleteExpiredAccess(
  db: Tx,
  { now, idleSince, browsersSince }: { now: Date; idleSince: Date; browsersSince: Date },
  signal: AbortSignal,
): Promise<void> {
  await deleteRows(db, signal, { from: "operator_session", where: sql`expires_at <= ${now} or last_seen_at <= ${idleSince}` });
  await deleteRows(db, signal, { from: "operator_browser", where: sql`last_used_at < ${browsersSince}` });
  for (const from of ["operator_command_line", "operator_invitation", "operator_passkey_challenge"])
    await deleteRows(db, signal, { from, where: sql`expires_at <= ${now}` });
}

/** Whether an operator, or the one with this address, has signed in with this browser. */
export async function isOperatorBrowser(
  db: Tx,
  { email, browserHash }: { email?: string | undefined; browserHash: Buffer },
): Promise<boolean> {
  let browsers = db
    .selectFrom("operator_browser as b")
    .innerJoin("operator as o", "o.id", "b.operator_id")
    .select("o.id")
    .where("o.removed_at", "is", null)
    .where("b.browser_hash", "=", browserHash);
  if (email !== undefined) browsers = browsers.where("o.email", "=", email.toLowerCase());
  return (await browsers.executeTakeFirst()) !== undefined;
}

export async function rememberOperatorBrowser(
  tx: Tx,
  known: { operatorId: string; browserHash: Buffer; now: Date },
): Promise<void> {
  const { operatorId, browserHash, now } = known;
  await tx
    .insertInto("operator_browser")
    .values({ operator_id: operatorId, browser_hash: browserHash, last_used_at: now })
    .onConflict((conflict) => conflict.columns(["operator_id", "browser_hash"]).doUpdateSet({ last_used_at: now }))
    .execute();
  await sql`
    delete from operator_browser where operator_id = ${operatorId} and browser_hash in (
      select browser_hash from operator_browser where operator_id = ${operatorId}
      order by last_used_at desc, browser_hash offset ${MAX_BROWSERS})`.execute(tx);
}
