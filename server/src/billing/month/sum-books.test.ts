import * as fc from "fast-check";
import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DOLLAR, ledgerAccount, spreadBookings, tamperWith } from "../../../test/ledger-account.ts";
import { testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { callChargeKey, checkLedger } from "../../ledger/ledger.ts";
import { systemClock } from "../../platform/clock.ts";
import { readLedgerMonth, sumBooks } from "./month.store.ts";

const DAYS = 3;
const SPANS = 60;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 4 });
  await database.warmUp();
  for (const paid of [5n, 20n, 3n]) await fillAccount(await ledgerAccount(database.handle, paid * DOLLAR));
});
afterAll(() => database.close());
beforeEach(async () => {
  await sql`truncate ledger_hour, ledger_hour_balance`.execute(database.handle.db);
  await spreadBookings(database.handle, { days: DAYS });
});

/** Bookings of many kinds, with a debt on the way, of which a part is repaid and a part is left. */
async function fillAccount(account: Awaited<ReturnType<typeof ledgerAccount>>): Promise<void> {
  await account.credit("bonus", DOLLAR);
  const call = await account.call(2n * DOLLAR);
  await account.restore(callChargeKey(call));
  await account.call(DOLLAR);
  await account.withdraw(DOLLAR);
  await account.reverse("dispute", 20n * DOLLAR);
  await account.credit("top_up", DOLLAR);
  await account.reverse("refund", 2n * DOLLAR);
  await account.credit("adjustment", DOLLAR / 3n);
}

const context = () => testContext({ handle: database.handle, clock: systemClock });
const sum = () => sumBooks(context(), new AbortController().signal);
const read = (from: number, to: number) => readLedgerMonth(database.handle.db, { from: new Date(from), to: new Date(to) });
const check = async (whole: boolean) => (await checkLedger(context(), { whole })).map((one) => [one.check, one.id]);

test("any span reads the same from the entries and from the sums of their hours", async () => {
  const now = Date.now();
  const time = fc.integer({ min: -DAYS * 24 * 60 - 90, max: 0 }).map((minutes) => now + minutes * 60_000);
  const spans = fc
    .sample(fc.tuple(time, time), SPANS)
    .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
  const fromEntries = [];
  for (const span of spans) fromEntries.push(await read(...span));
  expect(fromEntries.some(({ opening, closing }) => opening.owedMicros > 0n && closing.owedMicros > opening.owedMicros)).toBe(
    true,
  );
  // Several services sum at the same time.
  await Promise.all([sum(), sum(), sum()]);
  await sum();
  for (const [index, span] of spans.entries()) expect(await read(...span)).toEqual(fromEntries[index]);

  // The sums are what is read.
  await sql`update ledger_hour set entries = entries + 100`.execute(database.handle.db);
  const { movements } = await read(now - DAYS * DAY_MS, now);
  expect(movements.reduce((total, { count }) => total + count, 0)).toBeGreaterThan(100);
});

test("an hour is summed ten minutes after its end, when its bookings are in", async () => {
  const { db } = database.handle;
  await sum();
  const { rows } = await sql<{ late: boolean; next: boolean }>`
    select until <= now() - interval '10 minutes' as late, until > now() - interval '70 minutes' as next from ledger_hours_summed`.execute(
    db,
  );
  expect(rows).toEqual([{ late: true, next: true }]);
  expect(await check(true)).toEqual([]);
});

test("hours that are not the sums of their entries are found: recent ones by the hourly check, all by the whole check", async () => {
  const { db } = database.handle;
  await sum();
  expect(await check(true)).toEqual([]);
  const { rows } = await sql<{ hour: Date }>`select distinct hour from ledger_hour order by 1`.execute(db);
  const [oldest, newest] = [rows[0]!.hour, rows.at(-1)!.hour];
  await sql`update ledger_hours_summed set until = ${newest}::timestamptz + interval '1 hour'`.execute(db);
  // As if the latest check had read up to the newest hour.
  await sql`update ledger_check set booked_to = ${newest}`.execute(db);
  const change = (hour: Date, by: number) =>
    sql`update ledger_hour set micros = micros + ${by} where (hour, line) in (select hour, min(line) from ledger_hour where hour = ${hour} group by 1)`.execute(
      db,
    );
  const found = (hour: Date) => ["hour_is_sum_of_entries", `${hour.toISOString().slice(0, 16)}Z`];
  await change(oldest, 1);
  expect(await check(false)).toEqual([]);
  await sql`update ledger_check set booked_to = ${newest}`.execute(db);
  await change(newest, 1);
  expect(await check(false)).toEqual([found(newest)]);
  expect(await check(true)).toEqual([found(oldest), found(newest)]);

  // What was booked into a summed hour by a wrong clock is found too, and the hours can be summed again.
  await tamperWith(database.handle, [
    `update ledger_transaction set created_at = '${oldest.toISOString()}' where id = (select id from ledger_transaction order by created_at desc limit 1)`,
  ]);
  expect((await check(true)).length).toBeGreaterThan(0);
  await sql`update ledger_hours_summed set until = ${oldest}`.execute(db);
  await sum();
  expect(await check(true)).toEqual([]);
});
