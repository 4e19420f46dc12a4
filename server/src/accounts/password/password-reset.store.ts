import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

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
