import { DAY_MS } from "@farline/domain/durations.ts";
import type { Tx } from "../../database.ts";

/** Data about an object that the API does not show. */
export type Hidden = Record<string, unknown>;

interface ListFilter {
  type: string;
  limit: number;
  startingAfter?: string | undefined;
  endingBefore?: string | undefined;
  /** Unix seconds, inclusive. */
  createdFrom?: number | undefined;
  createdTo?: number | undefined;
  /** Top-level text fields that must be equal. Their names are put into SQL, so they must not come from a request. */
  equal?: Record<string, string | undefined>;
  /** Allowed values of the top-level field `type` (events). */
  types?: readonly string[] | undefined;
}

interface StripeObject {
  id: string;
  object: string;
}

export async function insertObject(tx: Tx, object: StripeObject & { created: number }, hidden: Hidden = {}): Promise<void> {
  await tx.query("insert into sandbox_stripe.object (id, type, created, data, hidden) values ($1, $2, $3, $4, $5)", [
    object.id,
    object.object,
    object.created,
    JSON.stringify(object),
    JSON.stringify(hidden),
  ]);
}

/** Stores a changed object; `hidden` stays unchanged unless given. */
export async function updateObject(tx: Tx, object: StripeObject, hidden?: Hidden): Promise<void> {
  await tx.query("update sandbox_stripe.object set data = $2, hidden = coalesce($3, hidden) where id = $1", [
    object.id,
    JSON.stringify(object),
    hidden === undefined ? null : JSON.stringify(hidden),
  ]);
}

/** Null if there is no such object. `lock` locks it until the transaction ends. */
export async function findObject<T>(tx: Tx, type: string, id: string, lock = false): Promise<{ data: T; hidden: Hidden } | null> {
  const { rows } = await tx.query<{ data: T; hidden: Hidden }>(
    `select data, hidden from sandbox_stripe.object where id = $1 and type = $2 ${lock ? "for update" : ""}`,
    [id, type],
  );
  return rows[0] ?? null;
}

/** Newest first. Reads one row more than requested to know whether there are more. */
export async function listObjects<T>(tx: Tx, filter: ListFilter): Promise<{ rows: T[]; hasMore: boolean }> {
  const values: unknown[] = [filter.type];
  const value = (given: unknown) => `$${values.push(given)}`;
  const where = ["type = $1", "not data ? 'deleted'"];
  const seqOf = (id: string) => `(select seq from sandbox_stripe.object where id = ${value(id)})`;
  if (filter.startingAfter !== undefined) where.push(`seq < ${seqOf(filter.startingAfter)}`);
  if (filter.endingBefore !== undefined) where.push(`seq > ${seqOf(filter.endingBefore)}`);
  if (filter.createdFrom !== undefined) where.push(`created >= ${value(filter.createdFrom)}`);
  if (filter.createdTo !== undefined) where.push(`created <= ${value(filter.createdTo)}`);
  if (filter.types) where.push(`data->>'type' = any(${value(filter.types)})`);
  for (const [field, wanted] of Object.entries(filter.equal ?? {}))
    if (wanted !== undefined) where.push(`data->>'${field}' = ${value(wanted)}`);
  const backwards = filter.endingBefore !== undefined;
  const { rows } = await tx.query<{ data: T }>(
    `select data from sandbox_stripe.object where ${where.join(" and ")} order by seq ${backwards ? "asc" : "desc"} limit ${value(filter.limit + 1)}`,
    values,
  );
  const page = rows.slice(0, filter.limit).map((row) => row.data);
  return { rows: backwards ? page.toReversed() : page, hasMore: rows.length > filter.limit };
}

/** Ids of open Checkout sessions that are due to expire. */
export async function dueSessions(tx: Tx, nowSeconds: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from sandbox_stripe.object
     where type = 'checkout.session' and data->>'status' = 'open' and (data->>'expires_at')::bigint <= $1
     order by seq limit 100 for update skip locked`,
    [nowSeconds],
  );
  return rows.map((row) => row.id);
}

/** Ids of refunds whose delayed outcome is due. */
export async function dueRefunds(tx: Tx, nowSeconds: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from sandbox_stripe.object where type = 'refund' and hidden ? 'dueAt' and (hidden->>'dueAt')::bigint <= $1
     order by seq limit 100`,
    [nowSeconds],
  );
  return rows.map((row) => row.id);
}

/** Deletes events after 30 days and idempotency keys after 24 hours, as Stripe does. */
export async function deleteExpired(tx: Tx, nowMs: number): Promise<void> {
  await tx.query("delete from sandbox_stripe.object where type = 'event' and created < $1", [
    Math.floor((nowMs - 30 * DAY_MS) / 1000),
  ]);
  await tx.query("delete from sandbox_stripe.idempotency where created_at < $1", [new Date(nowMs - DAY_MS)]);
}

/** How many events are searched for those about one payment. */
const RECENT_EVENTS = 1000;

/** Recent events about a payment intent and the objects that belong to it, newest first. */
export async function eventsAbout<T>(tx: Tx, intentId: string, limit: number): Promise<T[]> {
  const { rows } = await tx.query<{ data: T }>(
    `select data from (
       select seq, data, data->'data'->'object' as about from sandbox_stripe.object where type = 'event' order by seq desc limit $2
     ) recent
     where about->>'id' = $1 or about->>'payment_intent' = $1 order by seq desc limit $3`,
    [intentId, RECENT_EVENTS, limit],
  );
  return rows.map((row) => row.data);
}
