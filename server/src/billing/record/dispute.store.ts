import type { Insertable, Selectable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { BillingTables } from "./billing.tables.ts";
import { isWaiting, RESTING_STATUSES } from "./dispute-stage.ts";

export type Dispute = Selectable<BillingTables["dispute"]>;

export function findDispute(tx: Tx, id: string): Promise<Dispute | undefined> {
  return tx.selectFrom("dispute").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The payment's disputes whose money is with the bank. */
export function bookedDisputes(tx: Tx, paymentId: string): Promise<Dispute[]> {
  return tx
    .selectFrom("dispute")
    .selectAll()
    .where("payment_id", "=", paymentId)
    .where("booked_micros", ">", 0n)
    .orderBy("id")
    .execute();
}

export function insertDispute(tx: Tx, dispute: Insertable<BillingTables["dispute"]>): Promise<Dispute> {
  return tx.insertInto("dispute").values(dispute).returningAll().executeTakeFirstOrThrow();
}

/** Stores the provider's state. A dispute that needs a response once more was not answered yet at this stage. */
export async function saveDispute(
  tx: Tx,
  { id, status: before }: Dispute,
  change: {
    status: string;
    amountMicros: bigint;
    dueAt: Date;
    bookedMicros: bigint;
    bonusMicros: bigint;
    step: number;
    now: Date;
  },
): Promise<void> {
  const asksAgain = change.status !== before && isWaiting(change.status);
  await tx
    .updateTable("dispute")
    .set({
      status: change.status,
      amount_micros: change.amountMicros,
      due_at: change.dueAt,
      ...(asksAgain ? { handled: null, handled_by: null, handled_at: null } : {}),
      booked_micros: change.bookedMicros,
      bonus_micros: change.bonusMicros,
      step: change.step,
      updated_at: change.now,
    })
    .where("id", "=", id)
    .execute();
}

/** Locks a dispute that waits for an operator. @returns its customer's id; undefined if it does not wait */
export async function lockWaitingDispute(tx: Transaction, id: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("dispute")
    .innerJoin("payment", "payment.id", "dispute.payment_id")
    .select("payment.customer_id")
    .where("dispute.id", "=", id)
    .where("dispute.status", "not in", RESTING_STATUSES)
    .where("dispute.handled", "is", null)
    .forUpdate("dispute")
    .executeTakeFirst();
  return row?.customer_id;
}

/** Stores what an operator did about a dispute at the payment provider. */
export async function storeHandled(
  tx: Tx,
  id: string,
  { as, by, at }: { as: "answered" | "accepted"; by: string; at: Date },
): Promise<void> {
  await tx.updateTable("dispute").set({ handled: as, handled_by: by, handled_at: at }).where("id", "=", id).execute();
}

/** @returns false if the warning is already known */
export async function insertWarning(tx: Tx, warning: Insertable<BillingTables["fraud_warning"]>): Promise<boolean> {
  const done = await tx
    .insertInto("fraud_warning")
    .values(warning)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function warningIsKnown(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom("fraud_warning").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}
