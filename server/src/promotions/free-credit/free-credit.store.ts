import type { Micros } from "@farline/domain/money.ts";
import { sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { FreeCreditKind } from "../promotions.tables.ts";

/** Free credit for one customer. */
export interface FreeCredit {
  /** Unique; a repeated grant counts once. */
  readonly key: string;
  readonly customerId: string;
  readonly kind: FreeCreditKind;
  readonly amountMicros: Micros;
}

/** Serialises grants of free credit until the transaction ends. */
export async function lockFreeCredit(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('free_credit', 0))`.execute(tx);
}

/** Sums of free credit since a time: overall, and to customers who share a network with this one. */
export async function freeCreditSince(
  tx: Tx,
  wanted: { customerId: string; since: Date; networkSince: Date },
): Promise<{ allMicros: bigint; networkMicros: bigint }> {
  const { customerId, since, networkSince } = wanted;
  const { rows } = await sql<{ allMicros: bigint; networkMicros: bigint }>`
    select coalesce(sum(amount_micros), 0)::bigint as "allMicros",
      coalesce(sum(amount_micros) filter (where customer_id = ${customerId} or customer_id in (
        select customer_id from customers_alike(${customerId}, ${networkSince}))), 0)::bigint as "networkMicros"
    from free_credit where given_at > ${since}`.execute(tx);
  return rows[0] ?? { allMicros: 0n, networkMicros: 0n };
}

/** Whether the customer's address is confirmed, and the sum promised to unpaid payments of all customers for whom the same holds. */
export async function readUnpaidPromises(
  tx: Tx,
  wanted: { customerId: string; since: Date },
): Promise<{ isConfirmed: boolean; unpaidMicros: bigint }> {
  const { rows } = await sql<{ isConfirmed: boolean; unpaidMicros: bigint }>`
    select me.email_verified as "isConfirmed", coalesce((
      select sum(g.amount_micros) from free_credit g
        join promo_use u on u.payment_id = case g.kind when 'promo' then substr(g.key, length('promo:') + 1)::uuid end
        join customer c on c.id = g.customer_id
      where g.given_at > ${wanted.since} and u.state = 'reserved' and c.email_verified = me.email_verified), 0)::bigint as "unpaidMicros"
    from customer me where me.id = ${wanted.customerId}`.execute(tx);
  const [found] = rows;
  if (found === undefined) throw new Error(`Customer ${wanted.customerId} is gone.`);
  return found;
}

export async function insertFreeCredit(tx: Tx, grant: FreeCredit, now: Date): Promise<void> {
  const { key, customerId, kind, amountMicros } = grant;
  await tx
    .insertInto("free_credit")
    .values({ key, customer_id: customerId, kind, amount_micros: amountMicros, given_at: now })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
}

/** Releases reserved free credit. */
export async function deleteFreeCredit(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom("free_credit").where("key", "=", key).execute();
}

export function deleteOldFreeCredit(tx: Tx, before: Date, signal: AbortSignal): Promise<void> {
  return deleteRows(tx, signal, { from: "free_credit", where: sql`given_at < ${before}` });
}
