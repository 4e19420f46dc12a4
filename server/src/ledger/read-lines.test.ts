import { sql } from "kysely";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LedgerGroup } from "./read-lines.ts";
import { DOLLAR, ledgerAccount } from "../../test/ledger-account.ts";
import { newCustomer } from "../../test/new-customer.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { ledger, type LedgerLine } from "./ledger.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

async function allPages(customerId: string, query: { limit: number; group?: LedgerGroup; from?: Date; to?: Date }) {
  const lines: LedgerLine[] = [];
  let total = 0;
  for (let cursor: string | undefined = undefined, more = true; more;) {
    const page = await ledger.transactions(database.handle.db, customerId, { ...query, cursor });
    lines.push(...page.rows);
    total = page.total;
    more = page.nextCursor !== null;
    cursor = page.nextCursor ?? undefined;
  }
  return { lines, total };
}

/** An account with two calls, a top-up, a refund and a bonus, nine times. */
async function busyAccount() {
  const account = await ledgerAccount(database.handle, 100n * DOLLAR);
  for (let round = 0; round < 9; round++) {
    await account.call(DOLLAR);
    await account.call(DOLLAR);
    await account.credit("top_up", 5n * DOLLAR);
    await account.reverse("refund", DOLLAR);
    await account.credit("bonus", DOLLAR);
  }
  const { lines } = await allPages(account.id, { limit: 100 });
  return { id: account.id, lines };
}

describe("the account's lines", () => {
  test("are paged newest first without gaps or repetitions, even while new lines arrive", async () => {
    const account = await ledgerAccount(database.handle);
    for (let index = 1n; index <= 7n; index++) await account.credit("top_up", index * DOLLAR);
    const { db } = database.handle;
    const first = await ledger.transactions(db, account.id, { limit: 3 });
    await account.credit("top_up", 8n * DOLLAR);
    const second = await ledger.transactions(db, account.id, { limit: 3, cursor: first.nextCursor ?? "" });
    const third = await ledger.transactions(db, account.id, { limit: 3, cursor: second.nextCursor ?? "" });
    const amounts = [first, second, third].flatMap((page) => page.rows.map((row) => row.amountMicros / DOLLAR));
    expect(amounts).toEqual([7n, 6n, 5n, 4n, 3n, 2n, 1n]);
    expect(third.nextCursor).toBeNull();
    expect([first.total, second.total]).toEqual([7, 8]);
  });

  test.each(["", "0", "-1", "1e3", "abc", "9".repeat(19)])("are refused for the invalid cursor %j", async (cursor) => {
    const { id } = await newCustomer(database.handle);
    await expect(ledger.transactions(database.handle.db, id, { limit: 3, cursor })).rejects.toMatchObject({
      code: "malformed_request",
    });
  });

  test.each([
    ["top_ups", ["top_up"], 10],
    ["calls", ["call"], 18],
    ["refunds", ["refund"], 9],
    ["bonus", ["bonus"], 9],
    ["all", ["bonus", "call", "refund", "top_up"], 46],
  ] as const)("of the group %s are all lines of its kinds and no others, with their count", async (group, kinds, count) => {
    const { id } = await busyAccount();
    const { lines, total } = await allPages(id, { limit: 4, group });
    expect(lines).toHaveLength(count);
    expect(total).toBe(count);
    expect([...new Set(lines.map((line) => line.kind))].toSorted()).toEqual(kinds);
  });

  test("of a time span include its start and exclude its end", async () => {
    const { id, lines } = await busyAccount();
    const times = lines.map((line) => line.createdAt.getTime());
    const around = fc.constantFrom(...times).chain((time) => fc.integer({ min: time - 2, max: time + 2 }));
    await fc.assert(
      fc.asyncProperty(around, around, async (from, to) => {
        const expected = lines.filter((line) => isWithin(line, from, to));
        const found = await allPages(id, { limit: 10, from: new Date(from), to: new Date(to) });
        expect(found.lines.map((line) => line.id)).toEqual(expected.map((line) => line.id));
        expect(found.total).toBe(expected.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a statement", () => {
  test("adds up from opening to closing balance, where the next one opens", async () => {
    const { id, lines } = await busyAccount();
    const { db } = database.handle;
    const middle = lines[20]?.createdAt ?? new Date(0);
    const [from, to] = [new Date(0), new Date(Date.now() + 60_000)];
    const first = await ledger.statement(db, id, { from, to: middle });
    const second = await ledger.statement(db, id, { from: middle, to });
    expect(first.openingMicros).toBe(0n);
    expect(second.openingMicros).toBe(first.closingMicros);
    expect(second.closingMicros).toBe((await ledger.balance(db, id)).balanceMicros);
    const shown: LedgerLine[] = [];
    for (const statement of [first, second]) {
      let running = statement.openingMicros;
      for await (const line of statement.lines()) {
        expect(line.balanceAfterMicros).toBe((running += line.amountMicros));
        shown.push(line);
      }
      expect(running).toBe(statement.closingMicros);
    }
    expect(shown.toReversed()).toEqual(lines);
    expect(first.entries + second.entries).toBe(lines.length);
  });

  test("longer than one read contains all its lines", async () => {
    const account = await ledgerAccount(database.handle);
    await sql`select post_credit(gen_random_uuid(), ${account.id} || ':' || n, ${account.id}::uuid, 'top_up', 1000, null, 'Top-up') from generate_series(1, 2500) n`.execute(
      database.handle.db,
    );
    const statement = await ledger.statement(database.handle.db, account.id, {
      from: new Date(0),
      to: new Date(Date.now() + 60_000),
    });
    const amounts: bigint[] = [];
    for await (const line of statement.lines()) amounts.push(line.amountMicros);
    expect(amounts).toHaveLength(2500);
    expect(statement).toMatchObject({ openingMicros: 0n, closingMicros: 2_500_000n, entries: 2500 });
  });

  test("for a time before the first line is empty", async () => {
    const { id } = await busyAccount();
    const time = { from: new Date(0), to: new Date(1) };
    expect(await ledger.statement(database.handle.db, id, time)).toMatchObject({
      openingMicros: 0n,
      closingMicros: 0n,
      entries: 0,
    });
  });
});

/** Compares milliseconds, which is exact because all bounds are whole milliseconds. */
function isWithin(line: LedgerLine, from: number, to: number): boolean {
  const time = line.createdAt.getTime();
  return time >= from && time < to;
}
