import type { Tx } from "../../database.ts";

export interface DueDelivery {
  id: string;
  attempts: number;
  event: { id: string; type: string };
}

export interface DeliveryView {
  eventId: string;
  attempts: number;
  nextAt: Date;
  doneAt: Date | null;
  /** "delivered" or the last attempt's error; null before the first attempt. */
  outcome: string | null;
}

export async function queueDelivery(tx: Tx, eventId: string, nextAt: Date): Promise<void> {
  await tx.query("insert into sandbox_stripe.delivery (event_id, next_at) values ($1, $2)", [eventId, nextAt]);
}

/** Due deliveries, oldest first. */
export async function dueDeliveries(tx: Tx, now: Date, limit: number): Promise<DueDelivery[]> {
  const { rows } = await tx.query<DueDelivery>(
    `select d.id::text as id, d.attempts, o.data as event from sandbox_stripe.delivery d join sandbox_stripe.object o on o.id = d.event_id
     where d.done_at is null and d.next_at <= $1 order by d.next_at, d.id limit $2`,
    [now, limit],
  );
  return rows;
}

export async function retryDelivery(tx: Tx, id: string, attempt: { nextAt: Date; outcome: string }): Promise<void> {
  await tx.query("update sandbox_stripe.delivery set attempts = attempts + 1, next_at = $2, outcome = $3 where id = $1", [
    id,
    attempt.nextAt,
    attempt.outcome,
  ]);
}

/** Ends a delivery that succeeded or was given up. */
export async function finishDelivery(tx: Tx, id: string, attempt: { doneAt: Date; outcome: string }): Promise<void> {
  await tx.query("update sandbox_stripe.delivery set attempts = attempts + 1, done_at = $2, outcome = $3 where id = $1", [
    id,
    attempt.doneAt,
    attempt.outcome,
  ]);
}

export async function markDelivered(tx: Tx, eventId: string): Promise<void> {
  await tx.query("update sandbox_stripe.object set data = jsonb_set(data, '{pending_webhooks}', '0') where id = $1", [eventId]);
}

export async function allDelivered(tx: Tx, eventIds: readonly string[]): Promise<boolean> {
  const { rows } = await tx.query<{ waiting: boolean }>(
    "select exists (select from sandbox_stripe.delivery where event_id = any($1) and done_at is null) as waiting",
    [eventIds],
  );
  return rows[0]?.waiting === false;
}

/** Deliveries of the given events, in the order of queueing. */
export async function deliveriesOf(tx: Tx, eventIds: readonly string[]): Promise<DeliveryView[]> {
  const { rows } = await tx.query<DeliveryView>(
    `select event_id as "eventId", attempts, next_at as "nextAt", done_at as "doneAt", outcome
     from sandbox_stripe.delivery where event_id = any($1) order by id limit 1000`,
    [eventIds],
  );
  return rows;
}
