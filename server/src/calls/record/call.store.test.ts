import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { testDatabase } from "../../../test/test-database.ts";
import { INITIAL_VALUES } from "./call-columns.ts";
import { claimDueCalls, redeemTicket } from "./call.store.ts";

test("a ticket can be redeemed on a connection from before a migration that adds a column", async () => {
  const { handle, close } = await testDatabase({ poolSize: 1 });
  const now = new Date();
  const redeem = () =>
    redeemTicket(handle, {
      ticketHash: Buffer.alloc(32),
      now,
      identity: { leg: "parked", callControlId: "leg", legId: null, sessionId: null, to: "+442079460000", shown: null },
      senders: ["sender"],
      event: { id: "event", occurredAt: now, payload: {} },
      nextCheckAt: now,
    });
  expect(await redeem()).toBeNull();
  await sql`alter table call add column added_later integer`.execute(handle.db);
  expect(await redeem()).toBeNull();
  await close();
});

test("a call's initial values are the table's defaults", async () => {
  const { handle, close } = await testDatabase({ poolSize: 1 });
  const { rows: columns } = await sql<{ name: string; initial: string | null }>`
    select column_name as name, column_default as initial from information_schema.columns where table_name = 'call'`.execute(
    handle.db,
  );
  const initial = columns
    .filter(({ name }) => name in INITIAL_VALUES)
    .map((one) => sql`${sql.raw(one.initial ?? "null")} as ${sql.ref(one.name)}`);
  const { rows } = await sql`select ${sql.join(initial)}`.execute(handle.db);
  // Without its table, a literal 0 is an integer, also where the column is a bigint.
  expect(rows[0]).toEqual({ ...INITIAL_VALUES, charge_micros: 0 });
  await close();
});

test("due calls are found by the index of live calls, however many have ended", async () => {
  const { handle, close } = await testDatabase({ poolSize: 1 });
  const now = new Date();
  const past = { customerId: uuidv7(), createdAt: now };
  await insertPastCalls(
    handle.db,
    Array.from({ length: 300 }, () => past),
  );
  await sql`analyze call`.execute(handle.db);
  const scans = await handle.db.transaction().execute(async (tx) => {
    await claimDueCalls(tx, now, now, 10);
    const { rows } = await sql<{ whole: bigint }>`
      select seq_scan as whole from pg_stat_xact_user_tables where relname = 'call'`.execute(tx);
    return rows[0]?.whole;
  });
  expect(scans).toBe(0n);
  await close();
});
