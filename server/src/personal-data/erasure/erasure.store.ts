import { sql, type RawBuilder, type Selectable } from "kysely";
import type { Database, Transaction, Tx } from "../../platform/database/database.ts";
import type { PersonalDataTables } from "../personal-data.tables.ts";
import { PERSONAL_TABLES, type PersonalTable } from "../personal-tables.ts";

const CALLS_AT_ONCE = 500;

export type ErasureRow = Selectable<PersonalDataTables["account_erasure"]>;

/** The final transaction of an account with many calls takes longer than the default time-out. */
const STATEMENT_TIMEOUT = "5min";

/** An account's unfinished business. */
export interface OpenBusiness {
  readonly frozen: boolean;
  readonly liveCall: boolean;
  readonly pendingPayment: boolean;
  readonly openRefund: boolean;
  readonly openRequest: boolean;
  /** The states of its disputes, in the provider's terms. */
  readonly disputes: readonly string[];
}

export function findErasure(tx: Tx, customerId: string): Promise<ErasureRow | undefined> {
  return tx.selectFrom("account_erasure").selectAll().where("customer_id", "=", customerId).executeTakeFirst();
}

/** @returns false if it was requested before */
export async function insertErasure(
  tx: Tx,
  wanted: { customerId: string; at: Date; eraseAt: Date; operator: string | null; givenUpMicros: bigint },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("account_erasure")
    .values({
      customer_id: wanted.customerId,
      requested_at: wanted.at,
      next_try_at: wanted.eraseAt,
      operator: wanted.operator,
      given_up_micros: wanted.givenUpMicros,
    })
    .onConflict((conflict) => conflict.column("customer_id").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Cancels an erasure. @returns false if there is none, or it has begun */
export async function deleteErasure(tx: Tx, customerId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("account_erasure")
    .where("customer_id", "=", customerId)
    .where("begun_at", "is", null)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Claims due erasures. Each is rescheduled, so that it is retried if this process dies. */
export async function claimDueErasures(
  db: Database,
  wanted: { now: Date; nextTryAt: Date; limit: number },
): Promise<ErasureRow[]> {
  return db
    .updateTable("account_erasure")
    .set({ next_try_at: wanted.nextTryAt })
    .where("customer_id", "in", (eb) =>
      eb
        .selectFrom("account_erasure")
        .select("customer_id")
        .where("next_try_at", "<=", wanted.now)
        .orderBy("next_try_at")
        .limit(wanted.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}

/** @param blockedBy null if nothing blocks it */
export async function storeObstacle(
  tx: Tx,
  customerId: string,
  { blockedBy, nextTryAt }: { blockedBy: ErasureRow["blocked_by"]; nextTryAt: Date },
): Promise<void> {
  await tx
    .updateTable("account_erasure")
    .set({ blocked_by: blockedBy, next_try_at: nextTryAt })
    .where("customer_id", "=", customerId)
    .execute();
}

/** Marks an erasure as begun, after which it cannot be cancelled. @returns false if it was cancelled */
export async function beginErasure(tx: Tx, customerId: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("account_erasure")
    .set((eb) => ({ begun_at: eb.fn.coalesce("begun_at", eb.val(at)), blocked_by: null }))
    .where("customer_id", "=", customerId)
    .where("erased_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function finishErasure(tx: Tx, customerId: string, at: Date): Promise<void> {
  await tx
    .updateTable("account_erasure")
    .set({ erased_at: at, next_try_at: null, blocked_by: null })
    .where("customer_id", "=", customerId)
    .execute();
}

/** Removes phone numbers from the operators' audit record. */
export async function eraseNumbersInLog(tx: Tx, customerId: string, numbers: readonly string[]): Promise<void> {
  await sql`update operation set subject = null
    where (customer_id = ${customerId} and subject like '+%') or subject = any(${[...numbers]})`.execute(tx);
}

/** Deletes the customer's rows and clears identifying columns in those that are kept, as `PERSONAL_TABLES` defines. */
export async function eraseRows(tx: Transaction, customerId: string): Promise<void> {
  await sql.raw(`set local statement_timeout = '${STATEMENT_TIMEOUT}'`).execute(tx);
  for (const [table, personal] of Object.entries(PERSONAL_TABLES).toReversed()) {
    const { erasure } = personal;
    const where = ownRows(personal, customerId);
    if (erasure.how === "delete") await sql`delete from ${sql.table(table)} where ${where}`.execute(tx);
    else if (Object.keys(erasure.clears).length > 0) {
      const values = Object.entries(erasure.clears).map(([column, value]) => `"${column}" = ${value}`);
      await sql`update ${sql.table(table)} set ${sql.raw(values.join(", "))} where ${where}`.execute(tx);
    }
  }
  await sql`update customer set status = 'frozen' where id = ${customerId}`.execute(tx);
}

/** The condition that selects the customer's rows of a table. */
export function ownRows({ rows }: Pick<PersonalTable, "rows">, customerId: string): RawBuilder<unknown> {
  return sql.join(
    rows.split("$1").map((part) => sql.raw(part)),
    sql`${customerId}::uuid`,
  );
}

export async function readOpenBusiness(tx: Tx, customerId: string, now: Date): Promise<OpenBusiness> {
  const { rows } = await sql<OpenBusiness>`
    select
      (select status = 'frozen' from customer where id = ${customerId}) as frozen,
      exists (select from call where ${customerId} in (customer_id, payer_id) and ended_at is null) as "liveCall",
      exists (select from payment where customer_id = ${customerId} and status in ('created', 'open', 'pending', 'review'))
        as "pendingPayment",
      exists (select from refund where customer_id = ${customerId} and status in ('ordered', 'pending')) as "openRefund",
      exists (select from call_refund_request r join call c on c.id = r.call_id
          where r.state = 'open' and ${customerId} in (c.customer_id, c.payer_id))
        or exists (select from approval where customer_id = ${customerId} and state = 'open' and expires_at > ${now}) as "openRequest",
      array(select distinct dispute.status from dispute join payment on payment.id = dispute.payment_id
        where payment.customer_id = ${customerId}) as disputes`.execute(tx);
  const [business] = rows;
  if (business === undefined) throw new Error("The query for open business returned no row.");
  return business;
}

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
