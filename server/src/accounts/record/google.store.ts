import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { FlowPurpose } from "./accounts.tables.ts";
import { type Profile, PROFILE_COLUMNS } from "./customer.store.ts";

interface Flow {
  id: string;
  state: string;
  nonce: string;
  verifier: string;
}

/** A user's identity at an OpenID provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Adds a flow and abandons the browser's oldest open ones beyond `maxOpen`. */
export async function insertFlow(
  tx: Tx,
  flow: Flow & {
    browserHash: Buffer;
    purpose: FlowPurpose;
    customerId: string | null;
    now: Date;
    expiresAt: Date;
    maxOpen: number;
  },
): Promise<void> {
  const { id, state, nonce, verifier, purpose } = flow;
  await tx
    .insertInto("google_flow")
    .values({
      id,
      state,
      nonce,
      verifier,
      purpose,
      browser_hash: flow.browserHash,
      customer_id: flow.customerId,
      created_at: flow.now,
      expires_at: flow.expiresAt,
      used_at: null,
      code_hash: null,
      answer: null,
    })
    .execute();
  await sql`
    delete from google_flow where used_at is null and browser_hash = ${flow.browserHash} and id in (
      select id from google_flow where used_at is null and browser_hash = ${flow.browserHash}
      order by created_at desc, id desc offset ${flow.maxOpen})`.execute(tx);
}

/**
 * Claims an open flow of a browser: of two concurrent calls one gets it. Without a state, the latest one.
 * @returns undefined if there is none
 */
export async function claimFlow(
  db: Tx,
  wanted: {
    browserHash: Buffer;
    purpose: FlowPurpose;
    customerId: string | null;
    state: string | null;
    codeHash: Buffer;
    now: Date;
  },
): Promise<Flow | undefined> {
  const { rows } = await sql<Flow>`
    update google_flow set used_at = ${wanted.now}, code_hash = ${wanted.codeHash}
    where used_at is null and id = (
      select id from google_flow
      where browser_hash = ${wanted.browserHash} and used_at is null and expires_at > ${wanted.now}
        and purpose = ${wanted.purpose} and customer_id is not distinct from ${wanted.customerId}::uuid
        and (${wanted.state}::text is null or state = ${wanted.state})
      order by created_at desc, id desc limit 1)
    returning id, state, nonce, verifier`.execute(db);
  return rows[0];
}

/** Records the result of a flow; null if it failed. */
export async function storeAnswer(db: Tx, flowId: string, answer: Buffer | null): Promise<void> {
  await db
    .updateTable("google_flow")
    .set({ answer, failed: answer === null })
    .where("id", "=", flowId)
    .execute();
}

/** Finds the flow in which this browser exchanged its code, since a given time. */
export function findUsedFlow(
  db: Tx,
  wanted: { browserHash: Buffer; purpose: FlowPurpose; state: string | null; codeHash: Buffer; since: Date },
): Promise<{ id: string; answer: Buffer | null; failed: boolean } | undefined> {
  let query = db
    .selectFrom("google_flow")
    .select(["id", "answer", "failed"])
    .where("browser_hash", "=", wanted.browserHash)
    .where("purpose", "=", wanted.purpose)
    .where("code_hash", "=", wanted.codeHash)
    .where("used_at", ">", wanted.since);
  if (wanted.state !== null) query = query.where("state", "=", wanted.state);
  return query.orderBy("used_at", "desc").executeTakeFirst();
}

/** Abandons the flows that would link Google to a customer. */
export async function deleteLinkFlows(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("google_flow").where("customer_id", "=", customerId).execute();
}

export async function deleteExpiredFlows(db: Tx, now: Date, signal: AbortSignal): Promise<void> {
  await deleteRows(db, signal, { from: "google_flow", where: sql`expires_at <= ${now}` });
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
