import { sql } from "kysely";
import { emailKey } from "@farline/domain/email-address.ts";
import { uuidv7 } from "uuidv7";
import type { RequestOrigin } from "../record/request-origin.ts";
import type { Tx } from "../../platform/database/database.ts";

export interface GuardRule {
  /** Attempts within `windowSeconds` before the first lock. */
  readonly freeTries: number;
  readonly windowSeconds: number;
  /** Duration of the first lock; each further failure doubles it. */
  readonly firstLockSeconds: number;
  readonly longestLockSeconds: number;
  /** Attempts are forgotten after this long without a new one. */
  readonly forgetSeconds: number;
}

/** A failed sign-in for a known or unknown address. */
interface FailedSignIn {
  readonly email: string;
  readonly from: RequestOrigin;
  readonly at: Date;
}

/**
 * Counts an attempt before it is checked, and locks the account as if it had failed, so that concurrent attempts
 * cannot exceed the limit. Returns null if the attempt may proceed, else the end of the lock.
 */
export async function countAttempt(db: Tx, accountKey: string, now: Date, rule: GuardRule): Promise<Date | null> {
  const { rows } = await sql`
    insert into sign_in_guard as guard (account_key, tries, first_try_at, last_try_at, locked_until)
    values (${accountKey}, 1, ${now}, ${now},
      case when ${rule.freeTries} <= 1 then ${now}::timestamptz + make_interval(secs => ${rule.firstLockSeconds}) end)
    on conflict (account_key) do update set (tries, first_try_at, last_try_at, locked_until) = (
      select next.tries, case when next.tries = 1 then ${now}::timestamptz else guard.first_try_at end, ${now}::timestamptz,
        case when next.tries >= ${rule.freeTries} then ${now}::timestamptz + make_interval(secs =>
          least(${rule.longestLockSeconds}, ${rule.firstLockSeconds} * power(2, least(20, next.tries - ${rule.freeTries})))) end
      from (select case
        when guard.tries < ${rule.freeTries}
          and guard.first_try_at <= ${now}::timestamptz - make_interval(secs => ${rule.windowSeconds}) then 1
        when guard.last_try_at <= ${now}::timestamptz - make_interval(secs => ${rule.forgetSeconds}) then 1
        else guard.tries + 1 end as tries) as next)
    where guard.locked_until is null or guard.locked_until <= ${now}
    returning 1`.execute(db);
  if (rows.length > 0) return null;
  const guard = await db
    .selectFrom("sign_in_guard")
    .select("locked_until")
    .where("account_key", "=", accountKey)
    .executeTakeFirst();
  return guard?.locked_until ?? now;
}

/** An account's current attempt count, and whether it is locked. Does not count an attempt. */
export async function readAttempts(
  db: Tx,
  accountKey: string,
  now: Date,
  rule: GuardRule,
): Promise<{ tries: number; locked: boolean }> {
  const { rows } = await sql<{ tries: number; locked: boolean }>`
    select coalesce(locked_until > ${now}, false) as locked, case
      when tries < ${rule.freeTries} and first_try_at <= ${now}::timestamptz - make_interval(secs => ${rule.windowSeconds}) then 0
      when last_try_at <= ${now}::timestamptz - make_interval(secs => ${rule.forgetSeconds}) then 0
      else tries end as tries
    from sign_in_guard where account_key = ${accountKey}`.execute(db);
  return rows[0] ?? { tries: 0, locked: false };
}

/** Uncounts an attempt that was not checked. */
export async function uncountAttempt(db: Tx, accountKey: string): Promise<void> {
  await sql`
    update sign_in_guard set tries = greatest(tries - 1, 0), locked_until = null where account_key = ${accountKey}`.execute(db);
}

export async function clearAttempts(db: Tx, accountKey: string): Promise<void> {
  await db.deleteFrom("sign_in_guard").where("account_key", "=", accountKey).execute();
}

/** Records a wrong password without looking up the address. */
export async function insertFailedSignIn(db: Tx, failed: FailedSignIn): Promise<void> {
  await db
    .insertInto("failed_sign_in")
    .values({
      id: uuidv7(),
      email_key: emailKey(failed.email),
      device: failed.from.device,
      network: failed.from.network,
      happened_at: failed.at,
    })
    .execute();
}

/** Dequeues the oldest failed sign-ins with their customers. A rollback restores them. */
export async function dequeueFailedSignIns(
  tx: Tx,
  limit: number,
): Promise<{ customerId: string | null; device: string; network: string; at: Date }[]> {
  const { rows } = await sql<{ customerId: string | null; device: string; network: string; at: Date }>`
    with taken as (
      delete from failed_sign_in where id in (
        select id from failed_sign_in order by id limit ${limit} for update skip locked)
      returning email_key, device, network, happened_at)
    select customer.id as "customerId", device, network, happened_at as at
    from taken left join customer on customer.email_key = taken.email_key order by happened_at`.execute(tx);
  return rows;
}
