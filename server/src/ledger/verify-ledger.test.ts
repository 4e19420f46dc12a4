import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DOLLAR, ledgerAccount, tamperWith } from "../../test/ledger-account.ts";
import { testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { checkLedger } from "./ledger.ts";

let database: TestDatabase;
let clock: ManualClock;
let caller: Awaited<ReturnType<typeof ledgerAccount>>;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 2 });
  clock = new ManualClock(new Date());
});
afterAll(() => database.close());
beforeEach(async () => {
  caller = await ledgerAccount(database.handle, 5n * DOLLAR);
  await caller.credit("bonus", DOLLAR);
  await ageBookings();
  expect(await check()).toEqual([]);
});

const check = (whole = false) => checkLedger(testContext({ handle: database.handle, clock }), { whole });

/** Makes all bookings and holds older than a check since the latest one looks back. */
const ageBookings = () =>
  tamper(
    "update ledger_transaction set created_at = created_at - interval '2 days'",
    "update hold set created_at = created_at - interval '2 days'",
  );

const tamper = (...statements: readonly string[]) => tamperWith(database.handle, statements);

const wrongIn = (drift: readonly { check: string; id: string }[]) => drift.map((one) => [one.check, one.id]);

test("bookings since the latest check add up with what earlier checks have found", async () => {
  for (let round = 0; round < 3; round += 1) {
    await caller.call(DOLLAR);
    await caller.hold(DOLLAR / 10n);
    expect(await check()).toEqual([]);
  }
  const { rows } = await sql<{ mark: bigint; entries: bigint; net: bigint; bonus: bigint }>`
    select m.sequence as mark, a.entry_count as entries, m.net_micros as net, m.bonus_micros as bonus
    from ledger_mark m join account a using (customer_id) where customer_id = ${caller.id}`.execute(database.handle.db);
  expect(rows).toEqual([{ mark: 5n, entries: 5n, net: 3n * DOLLAR, bonus: 0n }]);
});

test.each([
  ["a balance", "balance_is_sum_of_entries", "update account set balance_micros = balance_micros + 1"],
  ["a bonus", "bonus_is_sum_of_entries", "update account set bonus_micros = bonus_micros + 1"],
  ["a count of entries", "entries_without_gaps", "update account set entry_count = entry_count + 1"],
  ["an amount held", "held_is_sum_of_holds", "update account set held_micros = held_micros + 1"],
])("%s of an account that was moved since is found wrong, until it is repaired", async (_, name, change) => {
  await caller.call(DOLLAR);
  expect(await check()).toEqual([]);
  await caller.call(DOLLAR);
  const where = `where customer_id = '${caller.id}'`;
  await tamper(`${change} ${where}`);
  expect(wrongIn(await check())).toEqual([[name, caller.id]]);
  expect(wrongIn(await check())).toEqual([[name, caller.id]]);
  await tamper(`${change.replace("+ 1", "- 1")} ${where}`);
  expect(await check()).toEqual([]);
});

test("a new transaction that does not sum to zero is found", async () => {
  const id = await caller.call(DOLLAR);
  const change = (by: number) =>
    tamper(
      `update ledger_entry set amount_micros = amount_micros + ${by} where system_account is not null
        and transaction_id = (select id from ledger_transaction where idempotency_key like '%${id}')`,
    );
  await change(1);
  expect((await check()).map((one) => one.check)).toEqual(["transaction_balanced"]);
  await change(-1);
});

test("an old hold that is still pending is no deviation", async () => {
  await caller.hold(DOLLAR);
  await ageBookings();
  await caller.call(DOLLAR);
  expect(await check()).toEqual([]);
});

test("a change of older rows is found by the whole check: on command, and within a day", async () => {
  const silent = await ledgerAccount(database.handle, DOLLAR);
  await ageBookings();
  expect(await check(true)).toEqual([]);
  await tamper(`update ledger_entry set bonus_micros = bonus_micros + 1 where customer_id = '${silent.id}'`);
  await caller.call(DOLLAR);
  expect(await check()).toEqual([]);
  const found = [["bonus_is_sum_of_entries", silent.id]];
  clock.advance(DAY_MS);
  expect(wrongIn(await check())).toEqual(found);
  expect(wrongIn(await check(true))).toEqual(found);
});
