import type { Language } from "@farline/contract/languages.ts";
import { sql } from "kysely";
import type { Tx } from "../platform/database.ts";

export interface ResetRequest {
  emailKey: string;
  language: Language;
}

export async function insertResetRequest(db: Tx, request: ResetRequest & { id: string; now: Date }): Promise<void> {
  await db
    .insertInto("password_reset_request")
    .values({ id: request.id, email_key: request.emailKey, language: request.language, requested_at: request.now })
    .execute();
}

/** Takes the oldest requests out. They are back if the transaction fails. */
export async function takeResetRequests(tx: Tx, most: number): Promise<ResetRequest[]> {
  const { rows } = await sql<ResetRequest>`
    delete from password_reset_request where id in (
      select id from password_reset_request order by requested_at limit ${most} for update skip locked)
    returning email_key as "emailKey", language`.execute(tx);
  return rows;
}
