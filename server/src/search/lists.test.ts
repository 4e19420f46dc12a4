import type { ListedCall, ListedPayment } from "@farline/contract/operator/lists.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { consoleApp, consoleCookie, type ConsoleApp } from "../../test/worlds/console-app.ts";
import { fillOperatorData, operatorDataCustomer } from "../../test/operator-data.ts";
import { testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { systemClock } from "../platform/clock.ts";
import { calls, countRows } from "./lists.store.ts";
import { searchRoutes } from "./search.ts";

/** More calls than one page may read, and than a count counts. */
const SIZE = { customers: 120, calls: 12_000 };
const DISPUTED = "where exists (select from dispute d where d.payment_id = payment.id)";

let database: TestDatabase;
let app: ConsoleApp;
const cookies = new Map<string, string>();
beforeAll(async () => {
  database = await testDatabase();
  await fillOperatorData(database.handle, SIZE);
  // Codes with the same words as another, and without words.
  await query("update payment set failure_code = 'do_not_honor' where failure_code = 'card_declined' and card_last4 like '%25'");
  await query(
    "update payment set failure_code = 'a_new_code' where failure_code = 'insufficient_funds' and card_last4 like '%65'",
  );
  await query("vacuum analyze");
  const ctx = testContext({ handle: database.handle, clock: systemClock, config: { limitsScale: 1 } });
  app = consoleApp(ctx, searchRoutes);
  for (const name of ["eve", "grace"]) cookies.set(name, await consoleCookie(ctx, name));
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const query = (statement: string, values?: unknown[]) => database.handle.pool.query(statement, values);

async function ids(statement: string): Promise<string[]> {
  const { rows } = await query(statement);
  return rows.map(({ id }: { id: string }) => id);
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next_cursor: string | null;
  readonly count: { readonly rows: number; readonly more: boolean } | null;
  readonly searched_to: string | null;
}

async function ask(path: string, filter: Record<string, string> = {}, as = "grace") {
  const answer = await app.app.inject({
    url: `/api/operator/lists/${path}?${new URLSearchParams(filter).toString()}`,
    headers: { cookie: cookies.get(as) ?? "" },
  });
  return { status: answer.statusCode, body: answer.body };
}

async function read<Row = { id: string }>(list: string, filter: Record<string, string> = {}, as = "grace"): Promise<Page<Row>> {
  const { status, body } = await ask(list, filter, as);
  expect([status, body.slice(0, 200)]).toEqual([200, expect.anything()]);
  return JSON.parse(body) as Page<Row>;
}

/** Every page, from the first to the last. */
async function readAll<Row = { id: string }>(list: string, filter: Record<string, string> = {}): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await read<Row>(list, { ...filter, ...(cursor === null ? {} : { cursor }) });
    rows.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return rows;
}

describe("a list has exactly the rows that match, newest first, over all its pages", () => {
  test.each<[string, Record<string, string>, string]>([
    ["calls", { country: "NG" }, "call where country_code = 'NG'"],
    ["calls", { reason: "busy" }, "call where end_reason = 'busy'"],
    ["calls", { reason: "busy", country: "FJ" }, "call where end_reason = 'busy' and country_code = 'FJ'"],
    ["calls", { reason: "hangup", country: "FJ" }, "call where end_reason = 'hangup' and country_code = 'FJ'"],
    ["calls", { trunk: "carrier-spare" }, "call where trunk = 'carrier-spare'"],
    ["calls", { prefix: "4420794600", status: "failed" }, "call where destination like '+4420794600%' and status = 'failed'"],
    ["calls", { least: "0.15", country: "GH" }, "call where charge_micros >= 150000 and country_code = 'GH'"],
    ["calls", { customer: operatorDataCustomer(3) }, `call where customer_id = '${operatorDataCustomer(3)}'`],
    [
      "calls",
      { customer: operatorDataCustomer(2), status: "failed", most: "0.00" },
      `call where customer_id = '${operatorDataCustomer(2)}' and status = 'failed'`,
    ],
    ["calls", { network: "11.0.7.200" }, `call where customer_id = '${operatorDataCustomer(7)}'`],
    ["payments", {}, "payment"],
    ["payments", { state: "failed" }, "payment where status = 'failed'"],
    ["payments", { state: "waiting" }, "payment where status = 'open'"],
    ["payments", { state: "disputed" }, `payment ${DISPUTED}`],
    ["payments", { reason: "insufficient_funds" }, "payment where failure_code = 'insufficient_funds'"],
    ["payments", { reason: "card_declined" }, "payment where failure_code in ('card_declined', 'do_not_honor')"],
    ["payments", { reason: "other" }, "payment where failure_code = 'a_new_code'"],
    ["payments", { least: "2.50", most: "19.99" }, "payment where charge_micros between 2500000 and 19990000"],
  ])("%s by %o", async (list, filter, from) => {
    const expected = await ids(`select id from ${from} order by created_at desc, id desc`);
    expect(expected.length).toBeGreaterThan(0);
    expect((await readAll(list, filter)).map(({ id }) => id)).toEqual(expected);
    const { count } = await read(list, filter);
    if (count?.more === false) expect(count.rows).toBe(expected.length);
  });

  test("customers by state, reason, day, balance and network", async () => {
    await query("update customer set status = 'frozen', frozen_because = 'payment' where id = any($1)", [
      [operatorDataCustomer(11), operatorDataCustomer(12)],
    ]);
    await query("update customer set closes_at = now() where id = $1", [operatorDataCustomer(13)]);
    const found = async (filter: Record<string, string>) =>
      (await readAll<{ customer_id: string }>("customers", filter)).map((row) => row.customer_id).toSorted();
    expect(await found({ state: "frozen", reason: "payment" })).toEqual([11, 12].map(operatorDataCustomer));
    expect(await found({ state: "closing" })).toEqual([operatorDataCustomer(13)]);
    expect(await found({ network: "11.0.9.0/24" })).toEqual([operatorDataCustomer(9)]);
    expect(await found({ to: "2001-01-01" })).toEqual([]);
    const rich = await ids("select customer_id as id from account where balance_micros >= 2000000 order by 1");
    expect(await found({ least: "2.00" })).toEqual(rich);
  });

  test.each([
    ["UTC", {}],
    ["America/New_York", { zone: "America/New_York" }],
    ["Asia/Kathmandu", { zone: "Asia/Kathmandu" }],
  ])("days are those of the clock in %s, and the last one is included", async (zone, filter) => {
    const day = `(created_at at time zone '${zone}')::date`;
    const { rows } = await query(`select ${day}::text as day from call order by created_at offset 5000 limit 1`);
    const { day: chosen } = rows[0] as { day: string };
    const expected = await ids(`select id from call where ${day} = '${chosen}' order by created_at desc, id desc`);
    expect((await readAll("calls", { from: chosen, to: chosen, ...filter })).map(({ id }) => id)).toEqual(expected);
  });

  test("the last day of all is followed by no other, and is no fault", async () => {
    expect((await ask("calls", { to: "9999-12-31", zone: "Asia/Tokyo" })).status).toBe(200);
  });
});

test("a page reads a bounded part, says how far back, and leads on to older matches; counts are bounded too", async () => {
  await query("update call set destination = '+999123' where id = (select id from call order by created_at limit 1)");
  const first = await read("calls", { prefix: "+999" });
  expect(first).toMatchObject({ rows: [], count: { rows: 0, more: true } });
  expect(first.searched_to).not.toBeNull();
  expect(await readAll("calls", { prefix: "+999" })).toHaveLength(1);
  expect((await read("calls")).count).toEqual({ rows: 10_000, more: true });
});

test("a count of a network's calls reads no other customers'", async () => {
  const some = [3, 4].map(operatorDataCustomer);
  const { counted, read } = await database.handle.db.transaction().execute(async (tx) => {
    const rowsRead = async () => {
      const { rows } = await sql<{ read: number }>`
        select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'call'`.execute(tx);
      return rows[0]?.read ?? 0;
    };
    // In a small table a sort costs nothing. Without it the planner chooses as in a large one.
    await sql`set local enable_sort = off`.execute(tx);
    await sql`set local enable_seqscan = off`.execute(tx);
    const before = await rowsRead();
    const { rows: found } = await countRows(tx, calls({ customers: some, zone: "UTC" }));
    return { counted: found, read: (await rowsRead()) - before };
  });
  expect(counted).toBe((await ids(`select id from call where customer_id in ('${some.join("', '")}')`)).length);
  expect(read).toBeLessThanOrEqual(counted);
});

test("rows in the same moment are neither left out nor shown twice between two pages", async () => {
  await query("update payment set created_at = '2026-01-02T03:04:05.678901Z' where status = 'paid'");
  const shown = (await readAll<ListedPayment>("payments", { state: "paid" })).map(({ id }) => id);
  expect(new Set(shown).size).toBe(shown.length);
  expect(shown).toHaveLength((await ids("select id from payment where status = 'paid'")).length);
});

test("support sees no costs, and has no files", async () => {
  const costs = async (as: string) => (await read<ListedCall>("calls", { status: "completed" }, as)).rows.map(({ cost }) => cost);
  expect(new Set(await costs("eve"))).toEqual(new Set([null]));
  expect((await costs("grace")).every((cost) => cost !== null)).toBe(true);
  expect((await ask("calls/file", {}, "eve")).status).toBe(403);
});

test("a file has all that matches, and nothing that a spreadsheet runs as a formula", async () => {
  const trick = `=HYPERLINK("https://evil.example","pay")`;
  await query("update customer set name = $2 where id = $1", [operatorDataCustomer(5), trick]);
  const { status, body } = await ask("customers/file");
  const lines = body.trimEnd().split("\r\n");
  expect([status, lines.length]).toEqual([200, 1 + SIZE.customers]);
  expect(body).toContain(`"'=HYPERLINK(""https://evil.example"",""pay"")"`);
  expect(body).not.toContain(`"=`);
  const calls = await ask("calls/file", { country: "NG" });
  expect(calls.body.trimEnd().split("\r\n")).toHaveLength(
    1 + (await ids("select id from call where country_code = 'NG'")).length,
  );
  expect(calls.body).toContain(`"+44`);
});

test("reading a list is recorded once with its filter, and a file before its first row", async () => {
  const newest = async () => {
    const { rows } = await query(
      "select operator, action, subject, detail from operation where action like 'list%' order by happened_at desc, id desc limit 1",
    );
    return rows[0];
  };
  const page = await read("calls", { country: "GB", least: "0.05" }, "eve");
  const detail = { country: "GB", least: "0.05", found: page.count?.rows, amount_micros: "0", reach: 0 };
  const recorded = await newest();
  expect(recorded).toEqual({ operator: "eve", action: "list", subject: "calls", detail });
  await read("calls", { country: "GB", least: "0.05", cursor: page.next_cursor ?? "" }, "eve");
  expect(await newest()).toEqual(recorded);
  await ask("payments/file", { state: "failed" });
  expect(await newest()).toMatchObject({
    operator: "grace",
    action: "list-file",
    subject: "payments",
    detail: { state: "failed" },
  });
});

test.each([
  ["calls", { network: "office" }],
  ["calls", { network: "10.0.0.0/8" }],
  ["calls", { prefix: "0800" }],
  ["calls", { reason: "because" }],
  ["payments", { state: "lost" }],
  ["payments", { reason: "do_not_honor" }],
  ["payments", { least: "many" }],
  ["customers", { from: "yesterday" }],
  ["customers", { from: "2026-11-01", zone: "Mars/Olympus" }],
])("%s by %o is refused", async (list, filter) => {
  expect((await ask(list, filter)).status).toBe(422);
});

test.each(["1", "2026-01-01T00:00:00.000000Z~not-an-id", "2026-99-01T00:00:00.000000Z~00000000-0000-4000-8000-000000000001"])(
  "the position %j is refused",
  async (cursor) => {
    expect((await ask("calls", { cursor })).status).toBe(400);
  },
);
