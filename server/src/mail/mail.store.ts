import { sql, type Insertable, type Selectable } from "kysely";
import type { Database, Tx } from "../platform/database/database.ts";
import type { MailTables } from "./mail.tables.ts";

/** A mail claimed for sending. */
export type DueMail = Pick<
  Selectable<MailTables["mail"]>,
  "id" | "recipient" | "template" | "language" | "data" | "attempts" | "created_at"
>;

const ERROR_LENGTH = 300;

/** Inserts a mail unless its key exists or the recipient already got `limit` mails of these templates in the last 24 hours. */
export async function insertMail(
  tx: Tx,
  mail: Insertable<MailTables["mail"]>,
  { templates, limit }: { templates: readonly string[]; limit: number },
): Promise<void> {
  await sql`
    insert into mail (id, key, recipient, template, language, data, next_at, useful_until, created_at)
    select ${mail.id}, ${mail.key}, ${mail.recipient}, ${mail.template}, ${mail.language}, ${mail.data}::jsonb, ${mail.next_at},
      ${mail.useful_until}, ${mail.created_at}
    where (select count(*) from mail earlier
      where lower(earlier.recipient) = lower(${mail.recipient}) and earlier.template = any (${templates})
        and earlier.created_at > ${mail.created_at}::timestamptz - interval '1 day') < ${limit}
    on conflict (key) do nothing`.execute(tx);
}

/**
 * Claims due mails. Each is rescheduled to its next attempt at once, so that it is retried if this process dies.
 * @param delaysSeconds wait after the first, second … attempt
 */
export async function claimDueMails(
  db: Database,
  wanted: { now: Date; limit: number; delaysSeconds: readonly number[] },
): Promise<DueMail[]> {
  const { rows } = await sql<DueMail>`
    update mail set
      attempts = attempts + 1,
      next_at = ${wanted.now}::timestamptz + make_interval(secs =>
        (${wanted.delaysSeconds}::int[])[least(attempts + 1, ${wanted.delaysSeconds.length}::int)])
    where id in (
      select id from mail where state = 'waiting' and next_at <= ${wanted.now}
      order by next_at limit ${wanted.limit} for update skip locked)
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

/** Drops the address of the last mail to an erased account. */
const RECIPIENT_AFTER_ERASURE = sql<string>`case when template = 'account_erased' then 'erased@erased.invalid' else recipient end`;

/** Closes a mail and deletes its content. */
export async function closeMail(
  db: Database,
  mail: { id: string; state: "sent" | "given_up" | "refused"; now: Date; error: string | null },
): Promise<void> {
  await db
    .updateTable("mail")
    .set({
      state: mail.state,
      recipient: RECIPIENT_AFTER_ERASURE,
      done_at: mail.now,
      data: null,
      last_error: mail.error?.slice(0, ERROR_LENGTH) ?? null,
    })
    .where("id", "=", mail.id)
    .where("state", "=", "waiting")
    .execute();
}

/** Drops mails that are no longer useful. Returns how many. */
export async function dropOverdueMails(db: Database, now: Date): Promise<number> {
  const done = await db
    .updateTable("mail")
    .set({ state: "given_up", recipient: RECIPIENT_AFTER_ERASURE, done_at: now, data: null })
    .where("state", "=", "waiting")
    .where("useful_until", "<=", now)
    .executeTakeFirst();
  return Number(done.numUpdatedRows);
}

/** Deletes the oldest mails that were done before a time. @returns how many, at most `limit` */
export async function deleteOldMails(db: Database, filter: { doneBefore: Date; limit: number }): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("mail")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("mail")
        .select("id")
        .where("state", "<>", "waiting")
        .where("done_at", "<", filter.doneBefore)
        .orderBy("done_at")
        .limit(filter.limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** When the oldest mail was written that still waits to be sent; null if none does. */
export async function oldestWaitingMail(db: Database): Promise<Date | null> {
  const row = await db
    .selectFrom("mail")
    .select((one) => one.fn.min("created_at").as("since"))
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return row?.since ?? null;
}
