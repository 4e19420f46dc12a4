import { guardRailColumns } from "@farline/domain/calls/guard-rails.ts";
import { sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { callFunction } from "../../platform/database/prepared.ts";
import { isPaidBy } from "../record/call.store.ts";
import type { GuardRailRow } from "../record/calls.tables.ts";

export type GuardRail = Omit<GuardRailRow, "updated_at">;

/** The cost and holds of today's calls, counted from midnight in the customer's time zone. */
export interface Today {
  spentMicros: bigint;
  resetsAt: Date;
}

export async function findGuardRail(tx: Tx, customerId: string): Promise<GuardRail | undefined> {
  return tx
    .selectFrom("guard_rail")
    .select(["customer_id", ...guardRailColumns, "time_zone"])
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
}

/** Locks the account, so that a concurrent authorisation sees either the old or the new limits. */
export async function lockGuardRail(tx: Transaction, customerId: string): Promise<void> {
  await callFunction(tx, "lock_account", { customerId });
}

/** Requires the lock of `lockGuardRail`. */
export async function saveGuardRail(tx: Transaction, rail: GuardRail, now: Date): Promise<void> {
  const { customer_id: _, ...limits } = { ...rail, updated_at: now };
  await tx
    .insertInto("guard_rail")
    .values({ customer_id: rail.customer_id, ...limits })
    .onConflict((conflict) => conflict.column("customer_id").doUpdateSet(limits))
    .execute();
}

export async function readToday(tx: Tx, rail: Pick<GuardRail, "customer_id" | "time_zone">, now: Date): Promise<Today> {
  const { rows } = await sql<{ spent: bigint; resets_at: Date }>`
    select coalesce(sum(spent_on_call(call, day.began)), 0)::bigint as spent,
      (day.began at time zone ${rail.time_zone}::text + interval '1 day') at time zone ${rail.time_zone}::text as resets_at
    from (select date_trunc('day', ${now}::timestamptz, ${rail.time_zone}::text) as began) day
    left join call on ${isPaidBy(rail.customer_id)} and call.created_at > day.began - interval '6 hours'
    group by day.began`.execute(tx);
  const [today] = rows;
  if (today === undefined) throw new Error("The query for today's spending returned no row.");
  return { spentMicros: today.spent, resetsAt: today.resets_at };
}
