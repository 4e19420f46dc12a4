import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Span } from "../../platform/split-span.ts";
import { RESTING_STATUSES } from "../record/dispute-stage.ts";

/** Payments that were paid or refused since a time. */
export async function readPaymentOutcomes(db: Database, since: Date): Promise<{ paid: number; failed: number }> {
  const { rows } = await sql<{ paid: number; failed: number }>`
    select (select count(*)::int from payment
        where created_at > ${since}::timestamptz - interval '7 days' and settled_at > ${since} and status = 'paid') as paid,
      (select count(*)::int from payment_failure where failed_at > ${since}) as failed`.execute(db);
  return rows[0] ?? { paid: 0, failed: 0 };
}

/** Payments that were paid in a span. */
export async function countPaid(db: Database, { from, to }: Span): Promise<number> {
  const { rows } = await sql<{ paid: number }>`
    select count(*)::int as paid from payment where status = 'paid' and settled_at >= ${from} and settled_at < ${to}`.execute(db);
  return rows[0]?.paid ?? 0;
}

/** When the oldest event since a time arrived that has not been processed; null if none waits. */
export async function oldestEvent(db: Database, since: Date): Promise<Date | null> {
  const row = await db
    .selectFrom("stripe_event")
    .select((one) => one.fn.min("received_at").as("since"))
    .where("received_at", ">", since)
    .where("done_at", "is", null)
    .executeTakeFirst();
  return row?.since ?? null;
}

/** Payments that were paid in a span although no event has arrived since, nor shortly before. */
export async function countPaidWithoutEvent(db: Database, { from, to }: Span, shortlyMs: number): Promise<number> {
  const { latest } = await db
    .selectFrom("stripe_event")
    .select((one) => one.fn.max("received_at").as("latest"))
    .executeTakeFirstOrThrow();
  const quietSince = new Date((latest?.getTime() ?? 0) + shortlyMs);
  return countPaid(db, { from: quietSince > from ? quietSince : from, to });
}

/** Disputes and inquiries that wait for a person, all or those due before a time. */
export async function countDisputes(db: Database, dueBefore: Date | null = null): Promise<number> {
  let waiting = db
    .selectFrom("dispute")
    .select((one) => one.fn.countAll<number>().as("open"))
    .where("status", "not in", RESTING_STATUSES)
    .where("handled", "is", null);
  if (dueBefore !== null) waiting = waiting.where("due_at", "<", dueBefore);
  return Number((await waiting.executeTakeFirstOrThrow()).open);
}

/** Refunds ordered before a time whose money has not reached the card, and that have not failed. */
export async function countSlowRefunds(db: Database, orderedBefore: Date): Promise<number> {
  const slow = db
    .selectFrom("refund")
    .select((one) => one.fn.countAll<number>().as("slow"))
    .where("next_try_at", "is not", null)
    .where("status", "in", ["ordered", "pending"])
    .where("created_at", "<", orderedBefore);
  return Number((await slow.executeTakeFirstOrThrow()).slow);
}

/** What customers paid in a span, and what went back to them. */
interface MoneyMoved {
  readonly topUps: number;
  readonly toppedUpMicros: bigint;
  /** Refunds and withdrawals, less those that failed. */
  readonly refunds: number;
  readonly refundedMicros: bigint;
}

/** By the ledger's bookings. */
export async function readMoneyMoved(db: Database, { from, to }: { from: Date; to: Date }): Promise<MoneyMoved> {
  const { rows } = await sql<MoneyMoved>`
    select count(*) filter (where t.kind = 'top_up')::int as "topUps",
      coalesce(sum(e.amount_micros) filter (where t.kind = 'top_up'), 0)::bigint as "toppedUpMicros",
      (count(*) filter (where t.kind in ('refund', 'withdrawal')) - count(*) filter (where t.kind = 'refund_failed'))::int as refunds,
      coalesce(-sum(e.amount_micros) filter (where t.kind <> 'top_up'), 0)::bigint as "refundedMicros"
    from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    where t.created_at >= ${from} and t.created_at < ${to} and t.kind in ('top_up', 'refund', 'withdrawal', 'refund_failed')`.execute(
    db,
  );
  return rows[0] ?? { topUps: 0, toppedUpMicros: 0n, refunds: 0, refundedMicros: 0n };
}
