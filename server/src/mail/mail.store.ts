import { sql, type Insertable, type Selectable } from "kysely";
import type { Database, Tx } from "../platform/database/database.ts";
import type { MailTables } from "./mail.tables.ts";

/** A mail that was taken to be sent. */
export type DueMail = Pick<
  Selectable<MailTables["mail"]>,
  "id" | "recipient" | "template" | "language" | "data" | "attempts" | "created_at"
>;

const ERROR_LENGTH = 300;

/** Inserts a mail unless its key exists or the recipient already got `most` mails of these templates in the preceding 24 hours. */
export async function insertMail(
  tx: Tx,
  mail: Insertable<MailTables["mail"]>,
  { templates, most }: { templates: readonly string[]; most: number },
): Promise<void> {
  await sql`
    insert into mail (id, key, recipient, template, language, data, next_at, useful_until, created_at)
    select ${mail.id}, ${mail.key}, ${mail.recipient}, ${mail.template}, ${mail.language}, ${mail.data}::jsonb, ${mail.next_at},
      ${mail.useful_until}, ${mail.created_at}
    where (select count(*) from mail earlier
      where lower(earlier.recipient) = lower(${mail.recipient}) and earlier.template = any (${templates})
        and earlier.created_at > ${mail.created_at}::timestamptz - interval '1 day') < ${most}
    on conflict (key) do nothing`.execute(tx);
}

/**
 * Takes mails whose time has come. Each is put off at once to its next try, so that one that was taken by a process that
 * died comes up again by itself.
 * @param delaysSeconds wait after the first, second … try
 */
export async function takeDueMails(
  db: Database,
  wanted: { now: Date; most: number; delaysSeconds: readonly number[] },
): Promise<DueMail[]> {
  const { rows } = await sql<DueMail>`
    update mail set
      attempts = attempts + 1,
      next_at = ${wanted.now}::timestamptz + make_interval(secs =>
        (${wanted.delaysSeconds}::int[])[least(attempts + 1, ${wanted.delaysSeconds.length}::int)])
    where id in (
      select id from mail where state = 'waiting' and next_at <= ${wanted.now}
      order by next_at limit ${wanted.most} for update skip locked)
    returning id, recipient, template, language, data, attempts, created_at`.execute(db);
  return rows;
}

export async function recordFailure(db: Database, id: string, error: string): Promise<void> {
  await db
    .updateTable("mail")
    .set({ last_error: error.slice(0, ERROR_LENGTH) })
    .where("id", "=", id)
    .execute();
}

/** The last mail to an erased account's address does not keep the address. */
const RECIPIENT_LEFT = sql<string>`case when template = 'account_erased' then 'erased@erased.invalid' else recipient end`;

/** Closes a mail and deletes its content. */
export async function closeMail(
  db: Database,
  mail: { id: string; state: "sent" | "given_up" | "refused"; now: Date; error: string | null },
): Promise<void> {
  await db
    .updateTable("mail")
    .set({
      state: mail.state,
      recipient: RECIPIENT_LEFT,
      done_at: mail.now,
      data: null,
      last_error: mail.error?.slice(0, ERROR_LENGTH) ?? null,
    })
    .where("id", "=", mail.id)
    .where("state", "=", "waiting")
    .execute();
}

/** Drops mails that are no longer useful. Returns how many. */
export async function giveUpOverdueMails(db: Database, now: Date): Promise<number> {
  const done = await db
    .updateTable("mail")
    .set({ state: "given_up", recipient: RECIPIENT_LEFT, done_at: now, data: null })
    .where("state", "=", "waiting")
    .where("useful_until", "<=", now)
    .executeTakeFirst();
  return Number(done.numUpdatedRows);
}

export async function deleteOldMails(db: Database, doneBefore: Date): Promise<void> {
  await db.deleteFrom("mail").where("state", "<>", "waiting").where("done_at", "<", doneBefore).execute();
}
