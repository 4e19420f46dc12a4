import type { PaymentStatus } from "@farline/contract/operator/constants.ts";
import { dollarText } from "@farline/contract/operator/words/money-words.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { paymentMethodName } from "@farline/domain/payment-method-name.ts";
import { sql, type Insertable, type Selectable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { BillingTables } from "./billing.tables.ts";
import { wholeCents } from "./cents.ts";
import type { Customer } from "../../accounts/accounts.ts";

export type Payment = Selectable<BillingTables["payment"]>;
export type NewPayment = Insertable<BillingTables["payment"]>;

/** Statuses that may still be paid. */
const UNDECIDED: readonly PaymentStatus[] = ["created", "open", "pending"];

/** A payment as operators read it in a sentence: "The payment of $20.00 on 2026-11-26 with Visa •••• 4242". */
export function namePayment({ charge_micros: micros, created_at: at, card_brand: brand, card_last4: last4 }: Payment): string {
  const card = brand === null ? "" : ` with ${paymentMethodName({ brand, last4 })}`;
  return `The payment of ${dollarText(toDecimalString(micros))} on ${at.toISOString().slice(0, 10)}${card}`;
}

/** Serialises a customer's payments until the transaction ends. */
export async function lockPaymentsOf(tx: Transaction, customerId: string): Promise<void> {
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

export function insertPayment(tx: Tx, payment: NewPayment): Promise<Payment> {
  return tx.insertInto("payment").values(payment).returningAll().executeTakeFirstOrThrow();
}

/** Stores the checkout that the provider opened, unless an event has already settled the payment. */
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

export function lockPayment(tx: Transaction, paymentId: string): Promise<Payment> {
  return tx.selectFrom("payment").selectAll().where("id", "=", paymentId).forNoKeyUpdate().executeTakeFirstOrThrow();
}

export function findPaymentBySession(tx: Tx, sessionId: string): Promise<Payment | undefined> {
  return tx.selectFrom("payment").selectAll().where("session_id", "=", sessionId).executeTakeFirst();
}

export function findPaymentByIntent(tx: Tx, paymentIntentId: string): Promise<Payment | undefined> {
  return tx.selectFrom("payment").selectAll().where("payment_intent_id", "=", paymentIntentId).executeTakeFirst();
}

/** The changes from a check at the provider. */
interface PaymentChange {
  status: PaymentStatus;
  sessionId: string | null;
  paymentIntentId: string | null;
  /** The decline code. */
  failureCode: string | null;
  card: { brand: string | null; last4: string | null; fingerprint: string | null; authenticated: boolean } | null;
  settledAt: Date | null;
  /** Null if the provider displayed dollars. */
  presented: { amount: bigint; currency: string } | null;
}

export function savePayment(tx: Tx, paymentId: string, change: PaymentChange): Promise<Payment> {
  const { card } = change;
  return tx
    .updateTable("payment")
    .set({
      status: change.status,
      session_id: change.sessionId,
      payment_intent_id: change.paymentIntentId,
      failure_code: change.failureCode,
      settled_at: change.settledAt,
      ...(change.presented === null
        ? {}
        : { presented_amount: change.presented.amount, presented_currency: change.presented.currency }),
      ...(card === null
        ? {}
        : {
            card_brand: card.brand,
            card_last4: card.last4,
            card_fingerprint: card.fingerprint,
            authenticated: card.authenticated,
          }),
      ...(UNDECIDED.includes(change.status) ? {} : { next_check_at: null }),
    })
    .where("id", "=", paymentId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Adds to a payment's refunded and disputed amounts. Requires the payment's lock. */
export function addReturnedAmounts(
  tx: Tx,
  paymentId: string,
  by: { refundedMicros?: bigint; disputedMicros?: bigint; bonusReturnedMicros?: bigint },
): Promise<Payment> {
  return tx
    .updateTable("payment")
    .set((eb) => ({
      refunded_micros: eb("refunded_micros", "+", by.refundedMicros ?? 0n),
      disputed_micros: eb("disputed_micros", "+", by.disputedMicros ?? 0n),
      bonus_returned_micros: eb("bonus_returned_micros", "+", by.bonusReturnedMicros ?? 0n),
    }))
    .where("id", "=", paymentId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** What of a payment can still go back to its card. */
export interface PaymentLeft {
  readonly payment: Payment;
  /** Neither refunded nor taken by a bank; zero while a bank decides about it. */
  readonly returnableMicros: bigint;
  /**
   * The part of it that is the payer's own credit, in whole cents, as cards take it. The rest was given away, and must come back before it
   * can be returned.
   */
  readonly ownMicros: bigint;
}

/** What is left of payments, in their order: the one rule for all that returns money. Exact under the payments' locks. */
async function readPaymentsLeft(tx: Tx, payments: readonly Payment[]): Promise<PaymentLeft[]> {
  const ids = payments.map(({ id }) => id);
  const { rows } = await sql<{ payment_id: string; returnable_micros: bigint; given_micros: bigint }>`
    select * from payment_left(${ids})`.execute(tx);
  const leftOf = new Map(rows.map((row) => [row.payment_id, row]));
  return payments.map((payment) => {
    const left = leftOf.get(payment.id);
    if (left === undefined) throw new Error(`Payment ${payment.id} is gone.`);
    const { returnable_micros: returnableMicros, given_micros: givenMicros } = left;
    const ownMicros = returnableMicros > givenMicros ? wholeCents(returnableMicros - givenMicros) : 0n;
    return { payment, returnableMicros, ownMicros };
  });
}

/** As `readPaymentsLeft`, of one payment. */
export async function readPaymentLeft(tx: Tx, payment: Payment): Promise<PaymentLeft> {
  const [left] = await readPaymentsLeft(tx, [payment]);
  if (left === undefined) throw new Error(`Payment ${payment.id} is gone.`);
  return left;
}

/** Locks the customer's refundable payments. @returns what is left of them, newest first */
export async function lockReturnablePayments(
  tx: Transaction,
  query: { customerId: string; paidSince: Date; limit: number },
): Promise<PaymentLeft[]> {
  // What is left is read once the locks are held, because a gift may return while this waits.
  return readPaymentsLeft(tx, await returnablePayments(tx, query).forNoKeyUpdate().execute());
}

export async function readReturnablePayments(
  tx: Tx,
  query: { customerId: string; paidSince: Date; limit: number },
): Promise<PaymentLeft[]> {
  return readPaymentsLeft(tx, await returnablePayments(tx, query).execute());
}

function returnablePayments(tx: Tx, query: { customerId: string; paidSince: Date; limit: number }) {
  return tx
    .selectFrom("payment")
    .selectAll()
    .where("customer_id", "=", query.customerId)
    .where("status", "=", "paid")
    .where("settled_at", ">", query.paidSince)
    .where("payment_intent_id", "is not", null)
    .orderBy("id", "desc")
    .limit(query.limit);
}

/** Marks a payment whose refund failed. Requires the payment's lock. */
export async function markReturnFailed(tx: Tx, paymentId: string): Promise<void> {
  await tx.updateTable("payment").set({ return_failed: true }).where("id", "=", paymentId).execute();
}

/** Counts other customers who paid with this card. */
export async function othersWithCard(tx: Tx, payment: { fingerprint: string; customerId: string }): Promise<number> {
  const { others } = await tx
    .selectFrom("payment")
    .select((eb) => eb.cast<number>(eb.fn.count(eb.ref("customer_id")).distinct(), "integer").as("others"))
    .where("card_fingerprint", "=", payment.fingerprint)
    .where("customer_id", "<>", payment.customerId)
    // Declines elsewhere, perhaps by a thief, are no evidence against the card's owner.
    .where("status", "=", "paid")
    .executeTakeFirstOrThrow();
  return others;
}

const MAX_DISPUTES = 100;

/** The statuses of disputes of other customers' payments with this card, and whether fraud was reported. */
export async function cardTrouble(
  tx: Tx,
  card: { fingerprint: string; customerId: string },
): Promise<{ disputes: string[]; warned: boolean }> {
  const others = tx
    .selectFrom("payment")
    .select("payment.id")
    .where("card_fingerprint", "=", card.fingerprint)
    .where("customer_id", "<>", card.customerId);
  const disputes = await tx
    .selectFrom("dispute")
    .select("status")
    .where("payment_id", "in", others)
    .limit(MAX_DISPUTES)
    .execute();
  const warning = await tx.selectFrom("fraud_warning").select("id").where("payment_id", "in", others).limit(1).executeTakeFirst();
  return { disputes: disputes.map(({ status }) => status), warned: warning !== undefined };
}

/** The customer's uncredited payments, newest first. @param page.before last id of the previous page */
export function unpaidPayments(
  tx: Tx,
  customerId: string,
  page: { before: string | undefined; limit: number },
): Promise<Payment[]> {
  let query = tx.selectFrom("payment").selectAll().where("customer_id", "=", customerId).where("status", "<>", "paid");
  if (page.before !== undefined) query = query.where("id", "<", page.before);
  return query.orderBy("id", "desc").limit(page.limit).execute();
}

export async function countUnpaid(tx: Tx, customerId: string): Promise<number> {
  const { count } = await tx
    .selectFrom("payment")
    .select((eb) => eb.cast<number>(eb.fn.countAll(), "integer").as("count"))
    .where("customer_id", "=", customerId)
    .where("status", "<>", "paid")
    .executeTakeFirstOrThrow();
  return count;
}

/** Payments whose next check is due, most overdue first. */
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

/** Lowers a payment's bonus by a reserved part that was not granted. Requires the payment's lock. */
export async function lowerBonus(tx: Tx, paymentId: string, byMicros: bigint): Promise<void> {
  await tx
    .updateTable("payment")
    .set((eb) => ({ bonus_micros: eb("bonus_micros", "-", byMicros) }))
    .where("id", "=", paymentId)
    .execute();
}

/** Lets a payment that never got a checkout be paid after all. Requires the customer's lock. */
export function reopenPayment(
  tx: Transaction,
  paymentId: string,
  until: { expiresAt: Date; nextCheckAt: Date | null },
): Promise<Payment> {
  return tx
    .updateTable("payment")
    .set({ status: "created", settled_at: null, expires_at: until.expiresAt, next_check_at: until.nextCheckAt })
    .where("id", "=", paymentId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Expires a payment that the provider does not know. @returns whether it was open */
export async function markExpired(tx: Tx, paymentId: string, now: Date): Promise<boolean> {
  const expired = await tx
    .updateTable("payment")
    .set({ status: "expired", next_check_at: null, settled_at: now })
    .where("id", "=", paymentId)
    .where("status", "=", "created")
    .where("session_id", "is", null)
    .returning("id")
    .executeTakeFirst();
  return expired !== undefined;
}

/** Fails a payment whose saved card the provider did not attempt. */
export function refusePayment(tx: Tx, paymentId: string, end: { failureCode: string; now: Date }): Promise<Payment> {
  return tx
    .updateTable("payment")
    .set({ status: "failed", failure_code: end.failureCode, next_check_at: null, settled_at: end.now })
    .where("id", "=", paymentId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Claims the customer's newest open payments for a check, each at most once per `pauseMs` over all instances.
 */
export async function claimOpenPayments(
  tx: Tx,
  query: { customerId: string; now: Date; youngerThanMs: number; pauseMs: number; limit: number },
): Promise<string[]> {
  const { now } = query;
  const rows = await tx
    .updateTable("payment")
    .set({ last_check_at: now })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("payment")
        .select("id")
        .where("customer_id", "=", query.customerId)
        .where("status", "in", ["open", "pending"])
        .where("created_at", ">", new Date(now.getTime() - query.youngerThanMs))
        .where((or) =>
          or.or([or("last_check_at", "is", null), or("last_check_at", "<=", new Date(now.getTime() - query.pauseMs))]),
        )
        .orderBy("created_at", "desc")
        .limit(query.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning("id")
    .execute();
  return rows.map((row) => row.id);
}

/** The fields of the requesting customer that billing needs. */
export interface Payer {
  readonly id: string;
  readonly email: string;
  readonly status: Customer["status"];
  readonly emailVerified: boolean;
  readonly createdAt: Date;
  /** Pays for somebody else without an account. */
  readonly isGuest?: boolean;
}
