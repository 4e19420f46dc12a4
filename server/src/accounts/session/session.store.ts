import { DAY_MS } from "@farline/domain/durations.ts";
import type { SessionEnd } from "@farline/contract/errors.ts";
import { type RawBuilder, sql } from "kysely";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { deleteInBatches, deleteRows } from "../../platform/database/in-batches.ts";
import { lockCustomer, type Profile, PROFILE_COLUMNS } from "../record/customer.store.ts";

/** How long the reason for a session's end is kept. */
const END_KEPT_MS = 30 * DAY_MS;

/** A valid session with its customer. */
export type SessionWithCustomer = Profile & {
  sessionId: string;
  lastSeenAt: Date;
  authenticatedAt: Date;
  /** The browser it is bound to, or null. */
  browserHash: Buffer | null;
};

export interface SessionOrigin {
  readonly device: string;
  readonly network: string;
  /** Binds the session to the browser with this cookie (its SHA-256). */
  readonly browserHash: Buffer | null;
}

export interface SessionRow {
  id: string;
  device: string;
  network: string;
  createdAt: Date;
  lastSeenAt: Date;
}

/** How sessions end: what their page is told, and whether their running calls end with them. */
export const SESSION_ENDINGS = {
  /** In its own browser, whose other tabs may be in a call. It still ends when somebody later ends the customer's sessions. */
  signed_out_here: { told: "signed_out", calls: "go_on" },
  signed_out_elsewhere: { told: "signed_out", calls: "end" },
  signed_out_by_operator: { told: "signed_out", calls: "end" },
  /** A passkey, Google or the authenticator was removed on another device. */
  sign_in_method_removed: { told: "signed_out", calls: "end" },
  password_changed: { told: "password_changed", calls: "end" },
  password_reset: { told: "password_changed", calls: "end" },
  account_closed: { told: "account_closed", calls: "end" },
  other_browser: { told: "other_browser", calls: "end" },
  too_many_devices: { told: "too_many_devices", calls: "end" },
  /** A call is never cut because time has passed. */
  expired: { told: "expired", calls: "go_on" },
  /** Everybody's sessions end, to be safe. Honest calls would be cut for it. */
  restored: { told: "signed_out", calls: "go_on" },
} as const satisfies Record<string, { readonly told: SessionEnd; readonly calls: "end" | "go_on" }>;

export type SessionEnding = keyof typeof SESSION_ENDINGS;

export function findSession(
  db: Tx,
  wanted: { tokenHash: Buffer; now: Date; idleSince: Date },
): Promise<SessionWithCustomer | undefined> {
  return db
    .selectFrom("session")
    .innerJoin("customer", "customer.id", "session.customer_id")
    .select([
      ...PROFILE_COLUMNS,
      "session.id as sessionId",
      "session.last_seen_at as lastSeenAt",
      "session.authenticated_at as authenticatedAt",
      "session.browser_hash as browserHash",
    ])
    .where("session.token_hash", "=", wanted.tokenHash)
    .where("session.expires_at", ">", wanted.now)
    .where("session.last_seen_at", ">", wanted.idleSince)
    .executeTakeFirst();
}

/**
 * Adds a session and ends the customer's least recently used ones beyond `maxSessions`. Locks the customer, so that
 * concurrent sign-ins cannot exceed the limit.
 */
export async function insertSession(
  tx: Transaction,
  session: {
    id: string;
    customerId: string;
    tokenHash: Buffer;
    now: Date;
    expiresAt: Date;
    maxSessions: number;
    origin?: SessionOrigin;
  },
): Promise<void> {
  await lockCustomer(tx, session.customerId);
  await tx
    .insertInto("session")
    .values({
      id: session.id,
      customer_id: session.customerId,
      token_hash: session.tokenHash,
      created_at: session.now,
      last_seen_at: session.now,
      authenticated_at: session.now,
      expires_at: session.expiresAt,
      browser_hash: session.origin?.browserHash ?? null,
      ...(session.origin ? { device: session.origin.device, network: session.origin.network } : {}),
    })
    .execute();
  const surplus = sql`customer_id = ${session.customerId} and id in (
    select id from session where customer_id = ${session.customerId}
    order by last_seen_at desc, id desc offset ${session.maxSessions})`;
  await endSessions(tx, surplus, { by: "too_many_devices", at: session.now });
}

export async function touchSession(db: Tx, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable("session")
    .set({ last_seen_at: now })
    .where("id", "=", sessionId)
    .where("last_seen_at", "<", now)
    .execute();
}

/** Records that the session's user has just re-authenticated. */
export async function confirmSession(db: Tx, sessionId: string, now: Date): Promise<void> {
  await db.updateTable("session").set({ authenticated_at: now }).where("id", "=", sessionId).execute();
}

/** Revokes the re-authentication of the customer's other sessions, because it now requires more. */
export async function forgetProofs(tx: Tx, wanted: { customerId: string; exceptSession: string }): Promise<void> {
  await tx
    .updateTable("session")
    .set({ authenticated_at: new Date(0) })
    .where("customer_id", "=", wanted.customerId)
    .where("id", "<>", wanted.exceptSession)
    .execute();
}

/** Valid sessions, last seen first. */
export function listSessions(db: Tx, wanted: { customerId: string; now: Date; idleSince: Date }): Promise<SessionRow[]> {
  return db
    .selectFrom("session")
    .select(["id", "device", "network", "created_at as createdAt", "last_seen_at as lastSeenAt"])
    .where("customer_id", "=", wanted.customerId)
    .where("expires_at", ">", wanted.now)
    .where("last_seen_at", ">", wanted.idleSince)
    .orderBy("last_seen_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/**
 * Like `lockCustomer`, for changes to what `endPlantedAccess` ends: also requires that the session has not ended during the request, or an
 * intruder could restore access that the owner has just ended.
 * @throws AppError unauthenticated
 */
export async function lockSession(tx: Transaction, session: { id: string; sessionId: string }): Promise<void> {
  await lockCustomer(tx, session.id);
  const found = await tx.selectFrom("session").select("id").where("id", "=", session.sessionId).executeTakeFirst();
  if (found === undefined) throw new AppError("unauthenticated");
}

/** Ends one of the customer's sessions. @returns its device, or null if it is not theirs or already ended */
export async function endSession(db: Tx, session: { id: string; customerId: string }, end: RecordedEnd): Promise<string | null> {
  const [ended] = await endSessions(db, sql`id = ${session.id} and customer_id = ${session.customerId}`, end);
  return ended?.device ?? null;
}

/**
 * Ends all sessions of a customer, optionally except one. If this ends calls, it also ends those that went on after their session:
 * otherwise a thief could sign out to keep a call.
 */
export async function endSessionsOf(
  db: Tx,
  wanted: { customerId: string; except: string | null },
  end: RecordedEnd,
): Promise<void> {
  const { customerId, except } = wanted;
  await endSessions(db, sql`customer_id = ${customerId} and id is distinct from ${except}::uuid`, end);
  if (SESSION_ENDINGS[end.by].calls === "end")
    await sql`update ended_session set ends_calls = true where customer_id = ${customerId} and not ends_calls`.execute(db);
}

export async function endEverySession(db: Tx, end: RecordedEnd): Promise<void> {
  await endSessions(db, sql`true`, end);
}

/** The sessions among these that are still valid. */
export async function findValidSessions(db: Tx, wanted: { ids: readonly string[]; now: Date }): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("session")
    .select("id")
    .where("id", "=", sql<string>`any(${wanted.ids}::uuid[])`)
    .where("expires_at", ">", wanted.now)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Ends expired sessions, and deletes old records of ended ones. */
export async function deleteExpiredSessions(
  db: Tx,
  { now, idleSince }: { now: Date; idleSince: Date },
  signal: AbortSignal,
): Promise<void> {
  const isExpired = sql`expires_at <= ${now} or last_seen_at <= ${idleSince}`;
  await deleteInBatches(signal, async (limit) => {
    const some = sql`id in (select id from session where ${isExpired} limit ${limit})`;
    return (await endSessions(db, some, { by: "expired", at: now })).length;
  });
  const since = new Date(now.getTime() - END_KEPT_MS);
  await deleteRows(db, signal, { from: "ended_session", where: sql`ended_at < ${since}` });
}

/** Why the session with this token ended; undefined for an unknown token. */
export async function findSessionEnd(db: Tx, tokenHash: Buffer): Promise<SessionEnd | undefined> {
  const row = await db.selectFrom("ended_session").select("reason").where("token_hash", "=", tokenHash).executeTakeFirst();
  if (row !== undefined) return row.reason;
  // Still stored but not valid: expired and not yet removed.
  const expired = await db.selectFrom("session").select("id").where("token_hash", "=", tokenHash).executeTakeFirst();
  return expired === undefined ? undefined : "expired";
}

/** What ended a session, and when. */
export interface RecordedEnd {
  readonly by: SessionEnding;
  readonly at: Date;
}

/**
 * The only way to end sessions. Records the reason, so that the token's holder can be told, and whether running calls end too, which
 * `has_session_ended` reads.
 */
async function endSessions(db: Tx, which: RawBuilder<unknown>, { by, at }: RecordedEnd): Promise<{ device: string }[]> {
  const { told, calls } = SESSION_ENDINGS[by];
  const { rows } = await sql<{ device: string }>`
    with gone as (delete from session where ${which} returning id, token_hash, customer_id, device),
         kept as (
           insert into ended_session (token_hash, customer_id, reason, ended_at, session_id, ends_calls)
           select token_hash, customer_id, ${told}, ${at}, id, ${calls === "end"} from gone
           on conflict (token_hash) do nothing
         )
    select device from gone`.execute(db);
  return rows;
}
