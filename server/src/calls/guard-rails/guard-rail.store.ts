import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { GuardRailRow } from "../calls.tables.ts";

export type GuardRail = Omit<GuardRailRow, "updated_at">;

/** What calls of this day have cost and hold, by the customer's own midnight. */
export interface Today {
  spentMicros: bigint;
  resetsAt: Date;
}

export async function findGuardRail(tx: Tx, customerId: string): Promise<GuardRail | undefined> {
  return tx
    .selectFrom("guard_rail")
    .select(["customer_id", "daily_cap_micros", "call_cap_micros", "countries", "time_zone"])
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
}

/** Takes the account's lock, so that a call that is being authorised is bounded by the limits before or after, never by half. */
export async function saveGuardRail(tx: Tx, rail: GuardRail, now: Date): Promise<void> {
  await sql`select lock_account(${rail.customer_id})`.execute(tx);
  const { customer_id: _, ...limits } = { ...rail, updated_at: now };
  await tx
    .insertInto("guard_rail")
    .values({ customer_id: rail.customer_id, ...limits })
    .onConflict((conflict) => conflict.column("customer_id").doUpdateSet(limits))
    .execute();
}

/** @throws the database's error 22023 for a time zone that it does not know */
export async function readToday(tx: Tx, rail: Pick<GuardRail, "customer_id" | "time_zone">, now: Date): Promise<Today> {
  const { rows } = await sql<{ spent: bigint; resets_at: Date }>`
    with day as (
      select guard_rail_day(row(${rail.customer_id}::uuid, null, null, null, ${rail.time_zone}::text, null)::guard_rail, ${now}) as began
    )
    select call_spending(${rail.customer_id}, began, null, '') as spent,
      (began at time zone ${rail.time_zone}::text + interval '1 day') at time zone ${rail.time_zone}::text as resets_at
    from day`.execute(tx);
  const [today] = rows;
  if (today === undefined) throw new Error("A day always has a beginning.");
  return { spentMicros: today.spent, resetsAt: today.resets_at };
}
