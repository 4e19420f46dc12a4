import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { FlowPurpose } from "./accounts.tables.ts";

interface Flow {
  id: string;
  state: string;
  nonce: string;
  verifier: string;
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
