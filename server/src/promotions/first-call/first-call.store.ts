import { TIER_RULES } from "@farline/domain/calls/risk-tier.ts";
import { sql } from "kysely";
import type { Origins } from "../../accounts/accounts.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { FirstCallRefusal } from "../promotions.tables.ts";

export async function dueFirstCalls(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("first_call")
    .select("customer_id")
    .where("next_look_at", "<=", now)
    .orderBy("next_look_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.customer_id);
}

/** Of somebody who waits for the decision; undefined once it was made. All decisions take turns until the transaction ends. */
export async function takeFirstCall(tx: Transaction, customerId: string): Promise<{ created_at: Date } | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('first_call', 0))`.execute(tx);
  return tx
    .selectFrom("first_call")
    .select("created_at")
    .where("customer_id", "=", customerId)
    .where("state", "=", "due")
    .executeTakeFirst();
}

export async function mailboxIsTaken(tx: Tx, mailbox: string): Promise<boolean> {
  const taken = await tx
    .selectFrom("first_call")
    .select("customer_id")
    .where("mailbox", "=", mailbox)
    .where("state", "=", "granted")
    .executeTakeFirst();
  return taken !== undefined;
}

/** What of somebody's origins has had a first call before: a browser at any time, a network since `networkSince`. */
export async function originWithFirstCall(
  tx: Tx,
  { browsers, networks }: Origins,
  networkSince: Date,
): Promise<"browser" | "network" | null> {
  const found = await tx
    .selectFrom("first_call_origin")
    .select("kind")
    .where((eb) =>
      eb.or([
        eb.and([eb("kind", "=", "browser"), eb("value", "in", ["", ...browsers])]),
        eb.and([eb("kind", "=", "network"), eb("value", "in", ["", ...networks]), eb("seen_at", ">", networkSince)]),
      ]),
    )
    .orderBy("kind")
    .limit(1)
    .executeTakeFirst();
  return found?.kind ?? null;
}

/** Postpones a due customer; one that was decided meanwhile stays unchanged. */
export async function waitForFirstCall(tx: Tx, customerId: string, nextLookAt: Date): Promise<void> {
  await tx
    .updateTable("first_call")
    .set({ next_look_at: nextLookAt })
    .where("customer_id", "=", customerId)
    .where("state", "=", "due")
    .execute();
}

export async function refuseFirstCall(tx: Tx, customerId: string, refusal: FirstCallRefusal, now: Date): Promise<void> {
  await tx
    .updateTable("first_call")
    .set({ state: "refused", refusal, next_look_at: null, decided_at: now })
    .where("customer_id", "=", customerId)
    .execute();
}

export async function storeFirstCall(
  tx: Tx,
  grant: { customerId: string; mailbox: string; bonusMicros: bigint; origins: Origins; now: Date },
): Promise<void> {
  const { customerId, origins, now } = grant;
  await tx
    .updateTable("first_call")
    .set({ state: "granted", mailbox: grant.mailbox, bonus_micros: grant.bonusMicros, next_look_at: null, decided_at: now })
    .where("customer_id", "=", customerId)
    .execute();
  const seen = [
    ...origins.browsers.map((value) => ({ kind: "browser" as const, value })),
    ...origins.networks.map((value) => ({ kind: "network" as const, value })),
  ].map((origin) => ({ ...origin, customer_id: customerId, seen_at: now }));
  if (seen.length > 0) await tx.insertInto("first_call_origin").values(seen).execute();
}

/** Whether somebody has a first call granted, and no money of their own that stayed. */
export async function hasOnlyFirstCall(tx: Tx, customerId: string): Promise<boolean> {
  const found = await tx
    .selectFrom("first_call")
    .select("customer_id")
    .where("customer_id", "=", customerId)
    .where("state", "=", "granted")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("payment")
            .select("id")
            .where("payment.customer_id", "=", customerId)
            .where("status", "=", "paid")
            .where("stayed_micros", ">=", TIER_RULES.leastStayedMicros),
        ),
      ),
    )
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Deletes the oldest networks seen before a time; a browser has one first call for ever, so it stays.
 * @returns how many, `limit` at most
 */
export async function forgetNetworks(tx: Tx, wanted: { before: Date; limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from first_call_origin where (customer_id, kind, value) in (
      select customer_id, kind, value from first_call_origin where kind = 'network' and seen_at < ${wanted.before}
      order by seen_at limit ${wanted.limit})`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
