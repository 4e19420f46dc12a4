import type { Pool } from "pg";
import { inTransaction } from "../database.ts";

export interface ReceivedMail {
  /** Ascending: a later mail has a higher id. */
  readonly id: number;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** Without angle brackets; empty if absent. */
  readonly messageId: string;
  readonly text: string;
  /** Empty without an HTML part. */
  readonly html: string;
  readonly receivedAt: Date;
}

/** Creating them again changes nothing. */
export const MAILBOX_TABLES = `
create schema if not exists sandbox_mailbox;
create table if not exists sandbox_mailbox.message (
  id bigint generated always as identity primary key,
  sender text not null,
  recipients text[] not null,
  subject text not null,
  message_id text not null,
  text_part text not null,
  html_part text not null,
  received_at timestamptz not null
);
`;
/** Older mails are deleted. */
const MAX_KEPT = 500;

const COLUMNS = `id::int, sender as "from", recipients as "to", subject, message_id as "messageId", text_part as text,
  html_part as html, received_at as "receivedAt"`;

export async function storeMail(pool: Pool, mail: Omit<ReceivedMail, "id">): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query(
      `insert into sandbox_mailbox.message (sender, recipients, subject, message_id, text_part, html_part, received_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [mail.from, mail.to, mail.subject, mail.messageId, mail.text, mail.html, mail.receivedAt],
    );
    await tx.query(
      `delete from sandbox_mailbox.message
       where id <= (select id from sandbox_mailbox.message order by id desc offset $1 limit 1)`,
      [MAX_KEPT],
    );
  });
}

/** Newest first. `to` is compared case-insensitively. */
export async function listMails(pool: Pool, wanted: { to: string | null; limit: number }): Promise<ReceivedMail[]> {
  const { rows } = await pool.query<ReceivedMail>(
    `select ${COLUMNS} from sandbox_mailbox.message
     where $1::text is null or lower($1) = any (select lower(one) from unnest(recipients) as one)
     order by id desc limit $2`,
    [wanted.to, wanted.limit],
  );
  return rows;
}

export async function findMail(pool: Pool, id: number): Promise<ReceivedMail | null> {
  const { rows } = await pool.query<ReceivedMail>(`select ${COLUMNS} from sandbox_mailbox.message where id = $1`, [id]);
  return rows[0] ?? null;
}
