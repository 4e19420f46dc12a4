import type { Insertable, Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { BillingTables } from "../record/billing.tables.ts";

export type Dispute = Selectable<BillingTables["dispute"]>;

export function findDispute(tx: Tx, id: string): Promise<Dispute | undefined> {
  return tx.selectFrom("dispute").selectAll().where("id", "=", id).executeTakeFirst();
}

export function insertDispute(tx: Tx, dispute: Insertable<BillingTables["dispute"]>): Promise<Dispute> {
  return tx.insertInto("dispute").values(dispute).returningAll().executeTakeFirstOrThrow();
}

export async function saveDispute(
  tx: Tx,
  id: string,
  change: { status: string; bookedMicros: bigint; bonusMicros: bigint; step: number; now: Date },
): Promise<void> {
  await tx
    .updateTable("dispute")
    .set({
      status: change.status,
      booked_micros: change.bookedMicros,
      bonus_micros: change.bonusMicros,
      step: change.step,
      updated_at: change.now,
    })
    .where("id", "=", id)
    .execute();
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
