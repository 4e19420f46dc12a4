import { sql } from "kysely";
import type { Database } from "../platform/database/database.ts";

const CALLS_AT_ONCE = 500;

/** Shortens the numbers of all ended calls of a customer, in batches. */
export async function shortenCallsOf(db: Database, customerId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await sql<{ shortened: number }>`
      select shorten_calls(array(select id from call
        where customer_id = ${customerId} and destination not like '%*' and ended_at is not null
        limit ${CALLS_AT_ONCE})) as shortened`.execute(db);
    if ((rows[0]?.shortened ?? 0) < CALLS_AT_ONCE) return;
  }
}

/**
 * Shortens the oldest batch of calls made before a time, continuing where the last run ended.
 * @returns whether there may be more
 */
export async function shortenOldCalls(db: Database, before: Date): Promise<boolean> {
  const { rows } = await sql<{ ids: string[]; latest: Date | null }>`
    select coalesce(array_agg(id), '{}') as ids, max(created_at) as latest from (
      select id, created_at from call
      where created_at >= (select done_until from number_shortening) and created_at < ${before}
        and destination not like '%*' and ended_at is not null
      order by created_at limit ${CALLS_AT_ONCE}) oldest`.execute(db);
  const { ids = [], latest = null } = rows[0] ?? {};
  if (ids.length > 0) await sql`select shorten_calls(${ids}::uuid[])`.execute(db);
  const more = ids.length === CALLS_AT_ONCE;
  await sql`update number_shortening set done_until = greatest(done_until, ${more ? latest : before})`.execute(db);
  return more;
}
