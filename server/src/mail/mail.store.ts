import { sql, type Insertable, type Selectable } from "kysely";
import type { Database, Tx } from "../platform/database/database.ts";
import { deleteRows } from "../platform/database/in-batches.ts";
import type { MailTables } from "./mail.tables.ts";

/** A mail claimed for sending. */
export type DueMail = Pick<
  Selectable<MailTables["mail"]>,
  "id" | "recipient" | "template" | "language" | "data" | "attempts" | "created_at"
>;

const ERROR_LENGTH = 300;

/** Mails to one mailbox that strangers can cause are counted one after another. A last lock: nothing is locked after it but other mailboxes. */
export async function lockMailbox(tx: Tx, recipient: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('mailbox:' || lower(${recipient}), 0))`.execute(tx);
}

/**
 * Inserts a mail unless its key exists or the mailbox already got the most mails of its lane in the last 24 hours, in all or of the account
 * that asked. @returns whether there is a mail with this key now
 */
export async function insertMail(
  tx: Tx,
  mail: Insertable<MailTables["mail"]>,
  { most, mostOfOne }: { most: number; mostOfOne: number },
): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    with inserted as (
      insert into mail (id, key, recipient, template, language, data, next_at, useful_until, created_at, lane, asked_by)
      select ${mail.id}, ${mail.key}, ${mail.recipient}, ${mail.template}, ${mail.language}, ${mail.data}::jsonb, ${mail.next_at},
        ${mail.useful_until}, ${mail.created_at}, ${mail.lane}, ${mail.asked_by}
      where (select count(*) < ${most} and count(*) filter (where earlier.asked_by is not distinct from ${mail.asked_by}) < ${mostOfOne}
        from mail earlier
        where lower(earlier.recipient) = lower(${mail.recipient}) and earlier.lane = ${mail.lane}
          and earlier.created_at > ${mail.created_at}::timestamptz - interval '1 day')
      on conflict (key) do nothing
      returning 1)
    select exists (select from inserted) or exists (select from mail where key = ${mail.key}) as there`.execute(tx);
  return rows[0]?.there ?? false;
}

/** Whether the last mail to an address was refused. */
export async function wasRefused(db: Tx, to: string): Promise<boolean> {
  const { rows } = await sql<{ refused: boolean }>`
    select state = 'refused' as refused from mail where recipient = ${to} and state in ('sent', 'refused')
    order by done_at desc limit 1`.execute(db);
  return rows[0]?.refused ?? false;
}

/** Whether mails have waited since before this time, while none went out. */
export async function waitedSince(db: Tx, since: Date): Promise<boolean> {
  const { rows } = await sql<{ late: boolean }>`
    select exists (select from mail where state = 'waiting' and created_at < ${since})
      and not exists (select from mail where state = 'sent' and done_at >= ${since}) as late`.execute(db);
  return rows[0]?.late ?? false;
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

/** Deletes mails that were done before a time. */
export function deleteOldMails(db: Database, doneBefore: Date, signal: AbortSignal): Promise<void> {
  return deleteRows(db, signal, { from: "mail", where: sql`state <> 'waiting' and done_at < ${doneBefore}` });
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
