import { sql, type ExpressionBuilder, type Insertable } from "kysely";
import type { Tx } from "../../platform/database.ts";
import type { Tables } from "../../platform/tables.ts";
import type { BillingTables } from "../billing.tables.ts";
import type { PayerHistory } from "./decide-top-up.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Younger payments without a checkout may be about to get one; older ones never will. */
const STARTING_MS = 60 * 1000;
/** More of anything than any limit asks for. */
const MOST_ROWS = 500;

/** What billing knows of a payer, for the limits. @param wanted.settledForDays how long ago a payment counts as settled for good */
export async function readPayerHistory(
  tx: Tx,
  wanted: { customerId: string; now: Date; settledForDays: number },
): Promise<Omit<PayerHistory, "createdAt" | "emailVerified">> {
  const ago = (days: number) => new Date(wanted.now.getTime() - days * DAY_MS);
  const [sums, recentlyPaid, open, checkouts, declines] = [
    await readSums(tx, wanted.customerId, ago(wanted.settledForDays)),
    await ofCustomer(tx, wanted.customerId)
      .select(["settled_at as at", "charge_micros as amountMicros"])
      .where("status", "=", "paid")
      .where("settled_at", ">", ago(7))
      .$narrowType<{ at: Date }>()
      .orderBy("settled_at", "desc")
      .execute(),
    await ofCustomer(tx, wanted.customerId)
      .select(["id", "charge_micros as amountMicros"])
      .where("status", "in", ["created", "open"])
      .where("expires_at", ">", wanted.now)
      .where((eb) => mayBePaid(eb, wanted.now))
      .execute(),
    await ofCustomer(tx, wanted.customerId)
      .select("created_at")
      .where("created_at", ">", ago(1))
      .where((eb) => mayBePaid(eb, wanted.now))
      .orderBy("created_at", "desc")
      .execute(),
    await tx
      .selectFrom("payment_failure")
      .select(["failed_at as at", "card_fingerprint as card"])
      .where("customer_id", "=", wanted.customerId)
      .where("failed_at", ">", ago(2))
      .orderBy("failed_at", "desc")
      .limit(MOST_ROWS)
      .execute(),
  ];
  return {
    ...sums,
    recentlyPaid,
    open,
    checkouts: checkouts.map((row) => row.created_at),
    declines: declines.toReversed(),
  };
}

function ofCustomer(tx: Tx, customerId: string) {
  return tx.selectFrom("payment").where("customer_id", "=", customerId).limit(MOST_ROWS);
}

/** A payment that got no checkout, because the provider was away, counts only while it may still get one. */
function mayBePaid(eb: ExpressionBuilder<Tables, "payment">, now: Date) {
  return eb.or([eb("session_id", "is not", null), eb("created_at", ">", new Date(now.getTime() - STARTING_MS))]);
}

async function readSums(tx: Tx, customerId: string, settledBefore: Date) {
  const row = await tx
    .selectFrom("payment")
    .select([
      sql<bigint>`count(*)`.as("paid"),
      sql<bigint>`count(*) filter (where authenticated)`.as("authenticated"),
      sql<bigint>`coalesce(sum(charge_micros - refunded_micros) filter (where settled_at < ${settledBefore}), 0)::bigint`.as(
        "settled",
      ),
      sql<boolean>`exists (select 1 from dispute d join payment p on p.id = d.payment_id where p.customer_id = ${customerId}::uuid)`.as(
        "disputed",
      ),
    ])
    .where("customer_id", "=", customerId)
    .where("status", "=", "paid")
    .executeTakeFirstOrThrow();
  return {
    paidPayments: Number(row.paid),
    authenticatedPayments: Number(row.authenticated),
    longSettledMicros: row.settled,
    everDisputed: row.disputed,
  };
}

/** Writes declined charges down; each counts once. */
export async function insertDeclines(tx: Tx, declines: readonly Insertable<BillingTables["payment_failure"]>[]): Promise<void> {
  if (declines.length === 0) return;
  await tx
    .insertInto("payment_failure")
    .values([...declines])
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}
