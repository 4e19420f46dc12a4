import { DAY_MS } from "@farline/domain/durations.ts";
import { sql, type ExpressionBuilder, type Insertable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { readPaymentFacts } from "../../risk/risk.ts";
import type { BillingTables } from "../record/billing.tables.ts";
import type { PayerHistory } from "./decide-top-up.ts";

/** A payment without a checkout may still get one within this time. */
const STARTING_MS = 60 * 1000;
/** Higher than every limit. */
const MAX_ROWS = 500;

/** Reads a payer's history for the limits. */
export async function readPayerHistory(
  tx: Tx,
  query: { customerId: string; now: Date },
): Promise<Omit<PayerHistory, "createdAt" | "emailVerified">> {
  const ago = (days: number) => new Date(query.now.getTime() - days * DAY_MS);
  const [facts, recentlyPaid, open, checkouts, declines] = [
    await readPaymentFacts(tx, query.customerId, query.now),
    await ofCustomer(tx, query.customerId)
      .select((eb) => [eb.fn.coalesce("settled_at", "created_at").as("at"), "charge_micros as amountMicros"])
      // Pending payments count too, otherwise unpaid vouchers could be stacked.
      .where("status", "in", ["paid", "pending"])
      .where((eb) => eb(eb.fn.coalesce("settled_at", "created_at"), ">", ago(7)))
      .orderBy("at", "desc")
      .execute(),
    await ofCustomer(tx, query.customerId)
      .select(["id", "charge_micros as amountMicros"])
      .where("status", "in", ["created", "open"])
      .where("expires_at", ">", query.now)
      .where((eb) => mayBePaid(eb, query.now))
      .execute(),
    await ofCustomer(tx, query.customerId)
      .select("created_at")
      .where("created_at", ">", ago(1))
      .where((eb) => mayBePaid(eb, query.now))
      .orderBy("created_at", "desc")
      .execute(),
    await tx
      .selectFrom("payment_failure")
      .select(["failed_at as at", "card_fingerprint as card"])
      .where("customer_id", "=", query.customerId)
      .where("failed_at", ">", ago(2))
      .orderBy("failed_at", "desc")
      .limit(MAX_ROWS)
      .execute(),
  ];
  return {
    ...facts,
    recentlyPaid,
    open,
    checkouts: checkouts.map((row) => row.created_at),
    declines: declines.toReversed(),
  };
}

function ofCustomer(tx: Tx, customerId: string) {
  return tx.selectFrom("payment").where("customer_id", "=", customerId).limit(MAX_ROWS);
}

/** A payment that has no checkout or charge yet, because the provider was unreachable, counts only while it may still get one. */
function mayBePaid(eb: ExpressionBuilder<Tables, "payment">, now: Date) {
  return eb.or([
    eb("session_id", "is not", null),
    eb("payment_intent_id", "is not", null),
    eb("created_at", ">", new Date(now.getTime() - STARTING_MS)),
  ]);
}

/** Counts the payer's declined charges since a time. */
export async function countDeclines(tx: Tx, customerId: string, since: Date): Promise<number> {
  const row = await tx
    .selectFrom("payment_failure")
    .select((eb) => eb.fn.countAll<bigint>().as("declines"))
    .where("customer_id", "=", customerId)
    .where("failed_at", ">", since)
    .executeTakeFirstOrThrow();
  return Number(row.declines);
}

/** Records declined charges; each counts once. */
export async function insertDeclines(tx: Tx, declines: readonly Insertable<BillingTables["payment_failure"]>[]): Promise<void> {
  if (declines.length === 0) return;
  await tx
    .insertInto("payment_failure")
    .values([...declines])
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

export function forgetDeclines(tx: Tx, before: Date, signal: AbortSignal): Promise<void> {
  return deleteRows(tx, signal, { from: "payment_failure", where: sql`failed_at < ${before}` });
}
