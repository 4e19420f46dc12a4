import { sql, type Insertable, type Selectable } from "kysely";
import type { Tx } from "../platform/database.ts";
import type { BillingTables, PaymentStatus } from "./billing.tables.ts";

export type Payment = Selectable<BillingTables["payment"]>;
export type NewPayment = Insertable<BillingTables["payment"]>;

/** May still be paid. */
const UNDECIDED: readonly PaymentStatus[] = ["created", "open"];

/** Lets one customer start one payment at a time, until the transaction ends. */
export async function takeTurn(tx: Tx, customerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`billing:${customerId}`}, 0))`.execute(tx);
}

export function findPaymentByRequestKey(tx: Tx, customerId: string, requestKey: string): Promise<Payment | undefined> {
  return tx
    .selectFrom("payment")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("request_key", "=", requestKey)
    .executeTakeFirst();
}

/**
 * When the customer's checkouts were started, newest first. A payment that got no checkout, because the provider was
 * away, counts only while it may still get one.
 */
export async function checkoutTimes(
  tx: Tx,
  { customerId, since, startingSince }: { customerId: string; since: Date; startingSince: Date },
): Promise<Date[]> {
  const rows = await tx
    .selectFrom("payment")
    .select("created_at")
    .where("customer_id", "=", customerId)
    .where("created_at", ">", since)
    .where((eb) => eb.or([eb("session_id", "is not", null), eb("created_at", ">", startingSince)]))
    .orderBy("created_at", "desc")
    .execute();
  return rows.map((row) => row.created_at);
}

export function insertPayment(tx: Tx, payment: NewPayment): Promise<Payment> {
  return tx.insertInto("payment").values(payment).returningAll().executeTakeFirstOrThrow();
}

/** Writes down the checkout the provider opened. An event that was faster than its answer may have settled it already. */
export async function attachSession(tx: Tx, paymentId: string, session: { id: string; url: string }): Promise<void> {
  await tx
    .updateTable("payment")
    .set((eb) => ({
      session_id: session.id,
      checkout_url: session.url,
      status: eb
        .case()
        .when("status", "=", "created")
        .then("open" as const)
        .else(eb.ref("status"))
        .end(),
    }))
    .where("id", "=", paymentId)
    .execute();
}

export function readPayment(tx: Tx, paymentId: string): Promise<Payment | undefined> {
  return tx.selectFrom("payment").selectAll().where("id", "=", paymentId).executeTakeFirst();
}

export function lockPayment(tx: Tx, paymentId: string): Promise<Payment> {
  return tx.selectFrom("payment").selectAll().where("id", "=", paymentId).forNoKeyUpdate().executeTakeFirstOrThrow();
}

export function findPaymentBySession(tx: Tx, sessionId: string): Promise<Payment | undefined> {
  return tx.selectFrom("payment").selectAll().where("session_id", "=", sessionId).executeTakeFirst();
}

export function findPaymentByIntent(tx: Tx, paymentIntentId: string): Promise<Payment | undefined> {
  return tx.selectFrom("payment").selectAll().where("payment_intent_id", "=", paymentIntentId).executeTakeFirst();
}

/** What a look at the provider changed. */
export interface PaymentChange {
  status: PaymentStatus;
  sessionId: string;
  paymentIntentId: string | null;
  refundedMicros: bigint;
  refundVersion: number;
  settledAt: Date | null;
}

export async function savePayment(tx: Tx, paymentId: string, change: PaymentChange): Promise<void> {
  await tx
    .updateTable("payment")
    .set({
      status: change.status,
      session_id: change.sessionId,
      payment_intent_id: change.paymentIntentId,
      refunded_micros: change.refundedMicros,
      refund_version: change.refundVersion,
      settled_at: change.settledAt,
      ...(UNDECIDED.includes(change.status) ? {} : { next_check_at: null }),
    })
    .where("id", "=", paymentId)
    .execute();
}

/** Payments whose next look at the provider is due, the longest overdue first. */
export function duePayments(tx: Tx, now: Date, limit: number): Promise<Payment[]> {
  return tx
    .selectFrom("payment")
    .selectAll()
    .where("next_check_at", "<=", now)
    .where("status", "in", UNDECIDED)
    .orderBy("next_check_at")
    .limit(limit)
    .execute();
}

export async function scheduleCheck(tx: Tx, paymentId: string, nextCheckAt: Date | null): Promise<void> {
  await tx
    .updateTable("payment")
    .set({ next_check_at: nextCheckAt })
    .where("id", "=", paymentId)
    .where("status", "in", UNDECIDED)
    .execute();
}

/** A payment the provider never heard of cannot be paid any more. */
export async function expireUnknown(tx: Tx, paymentId: string, now: Date): Promise<void> {
  await tx
    .updateTable("payment")
    .set({ status: "expired", next_check_at: null, settled_at: now })
    .where("id", "=", paymentId)
    .where("status", "=", "created")
    .where("session_id", "is", null)
    .execute();
}

/**
 * The customer's newest open payments for a quick look, each handed out at most once in `pauseMs` however often and
 * from however many services it is asked.
 */
export async function claimOpenPayments(
  tx: Tx,
  wanted: { customerId: string; now: Date; youngerThanMs: number; pauseMs: number; limit: number },
): Promise<string[]> {
  const { now } = wanted;
  const rows = await tx
    .updateTable("payment")
    .set({ last_check_at: now })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("payment")
        .select("id")
        .where("customer_id", "=", wanted.customerId)
        .where("status", "=", "open")
        .where("created_at", ">", new Date(now.getTime() - wanted.youngerThanMs))
        .where((or) =>
          or.or([or("last_check_at", "is", null), or("last_check_at", "<=", new Date(now.getTime() - wanted.pauseMs))]),
        )
        .orderBy("created_at", "desc")
        .limit(wanted.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning("id")
    .execute();
  return rows.map((row) => row.id);
}
