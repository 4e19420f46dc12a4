import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";

/** Consumes a challenge. Returns false if it was consumed before: of two concurrent calls one gets true. */
export async function consumeRobotChallenge(db: Tx, challenge: { hash: Buffer; expiresAt: Date }): Promise<boolean> {
  const done = await db
    .insertInto("spent_challenge")
    .values({ challenge_hash: challenge.hash, expires_at: challenge.expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Counts a checked password in the minute of `at`. */
export async function countSignIn(db: Tx, at: Date, failed: boolean): Promise<void> {
  const failures = failed ? 1 : 0;
  await sql`
    insert into sign_in_minute as seen (minute, tries, failures) values (date_trunc('minute', ${at}::timestamptz), 1, ${failures})
    on conflict (minute) do update set tries = seen.tries + 1, failures = seen.failures + ${failures}`.execute(db);
}

/** How many passwords were checked since a time, and how many were wrong; one row per minute. */
export async function readSignIns(db: Tx, since: Date): Promise<{ tries: number; failures: number }> {
  const { rows } = await sql<{ tries: number; failures: number }>`
    select coalesce(sum(tries), 0)::integer as tries, coalesce(sum(failures), 0)::integer as failures
    from sign_in_minute where minute > ${since}`.execute(db);
  return rows[0] ?? { tries: 0, failures: 0 };
}

/** Deletes expired spent challenges and minutes before `since`. */
export async function deleteOldChecks(db: Tx, { now, since }: { now: Date; since: Date }, signal: AbortSignal): Promise<void> {
  await deleteRows(db, signal, { from: "spent_challenge", where: sql`expires_at <= ${now}` });
  await deleteRows(db, signal, { from: "sign_in_minute", where: sql`minute < ${since}` });
}
