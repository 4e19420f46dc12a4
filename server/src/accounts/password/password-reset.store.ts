import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

export async function insertResetRequest(db: Tx, request: { id: string; emailKey: string; now: Date }): Promise<void> {
  await db
    .insertInto("password_reset_request")
    .values({ id: request.id, email_key: request.emailKey, requested_at: request.now })
    .execute();
}

/** Dequeues the addresses of the oldest requests. A rollback restores them. */
export async function dequeueResetRequests(tx: Tx, limit: number): Promise<string[]> {
  const { rows } = await sql<{ emailKey: string }>`
    delete from password_reset_request where id in (
      select id from password_reset_request order by requested_at limit ${limit} for update skip locked)
    returning email_key as "emailKey"`.execute(tx);
  return rows.map((row) => row.emailKey);
}
