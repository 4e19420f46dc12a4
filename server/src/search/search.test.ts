import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillOperatorData, operatorDataCustomer, operatorDataEmail } from "../../test/operator-data.ts";
import { asOperator, testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { searchEverything } from "./search.ts";
import { NAME_WORDS } from "./search.store.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await fillOperatorData(database.handle, { customers: 45, calls: 300 });
});
afterAll(() => database.close());

const find = (text: string) => searchEverything(asOperator(testContext({ handle: database.handle }), "grace"), text);

async function one<Row>(query: string): Promise<Row> {
  const { rows } = await sql<Row>`${sql.raw(query)}`.execute(database.handle.db);
  return rows[0] as Row;
}

describe("a search finds", () => {
  test("a customer by address, in any case, and by the start of one", async () => {
    const hit = { type: "customer", id: operatorDataCustomer(42), email: operatorDataEmail(42), codes: ["active"] };
    expect(await find("Caller42@EXAMPLE.com")).toMatchObject({ understood: "email", hits: [hit], more: false });
    expect((await find("caller3")).hits).toHaveLength(11);
    expect((await find("call_r")).hits).toEqual([]);
  });

  test("at most 20, and says that there are more", async () => {
    const { hits, more } = await find("caller");
    expect(hits).toHaveLength(20);
    expect(more).toBe(true);
  });

  test("a customer by any words of their name, in any order, with or without accents", async () => {
    await sql`update customer set name = 'Zoë Marie-Claire Kovács' where id = ${operatorDataCustomer(7)}`.execute(
      database.handle.db,
    );
    const hit = [expect.objectContaining({ type: "customer", id: operatorDataCustomer(7) })];
    for (const text of ["kovacs zoe", "Kovács", "marie-claire", "MARIE kov", "Zoë Marie-Claire Kovács"])
      expect([text, (await find(text)).hits]).toEqual([text, expect.arrayContaining(hit)]);
    expect((await find("kovacs peter")).hits).toEqual([]);
    await sql`update customer set name = 'प्रिया शर्मा' where id = ${operatorDataCustomer(6)}`.execute(database.handle.db);
    expect((await find("शर्म")).hits).toMatchObject([{ id: operatorDataCustomer(6) }]);
  });

  test("a name by the index of names, whose expression the search repeats", async () => {
    const plan = await database.handle.db.transaction().execute(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx);
      return sql<
        Record<string, string>
      >`explain select from customer where ${NAME_WORDS} @@ to_tsquery('simple', 'anna')`.execute(tx);
    });
    expect(JSON.stringify(plan.rows)).toContain("Bitmap Index Scan on customer_name");
  });

  test("customers by the domain of their mail, newest first, which may also be the start of an address", async () => {
    const firm = [{ id: operatorDataCustomer(39), email: "caller39@firm39.example" }];
    expect(await find("firm39.example")).toMatchObject({ understood: "domain", hits: firm });
    expect(await find("@firm39.example")).toMatchObject({ understood: "domain", hits: firm });
    expect(await find("example.com")).toMatchObject({ understood: "domain", more: true });
    await sql`update customer set email_key = 'ada.brown@example.com' where id = ${operatorDataCustomer(8)}`.execute(
      database.handle.db,
    );
    expect((await find("ada.brown")).hits).toMatchObject([{ id: operatorDataCustomer(8) }]);
  });

  test("customers who were seen in a network", async () => {
    const seen = { type: "customer", id: operatorDataCustomer(4) };
    expect(await find("11.0.4.99")).toMatchObject({ understood: "network", hits: [seen] });
    expect((await find("11.0.4.0/24")).hits).toMatchObject([seen]);
    expect((await find("192.0.2.1")).hits).toEqual([]);
  });

  test("the newest calls to a number, or to numbers that begin with it", async () => {
    const { destination, calls } = await one<{ destination: string; calls: bigint }>(
      "select destination, count(*) as calls from call group by 1 order by 2 desc limit 1",
    );
    const { hits } = await find(destination.replace("+44", "0044 "));
    expect(hits.length).toBe(Math.min(20, Number(calls)));
    expect(new Set(hits.map(({ text }) => text))).toEqual(new Set([destination]));
    const times = hits.map(({ at }) => Date.parse(at ?? ""));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect((await find(destination.slice(0, 9))).hits.length).toBeGreaterThan(0);
  });

  test("a live call by its number", async () => {
    const live = await one<{ id: string; destination: string }>(
      "select id, destination from call where ended_at is null limit 1",
    );
    expect((await find(live.destination)).hits.map(({ id }) => id)).toContain(live.id);
  });

  test("the customer who proved a number", async () => {
    const values = `('+12025550177', '${operatorDataCustomer(3)}', now())`;
    await sql`insert into caller_number (number, customer_id, proven_at) values ${sql.raw(values)}`.execute(database.handle.db);
    expect((await find("+1 202 555 0177")).hits).toMatchObject([{ type: "caller_number", email: operatorDataEmail(3) }]);
  });

  test("a payment by its card's last four digits, amount and day", async () => {
    const paid = await one<{ id: string; dollars: string; day: string }>(
      `select id, round(charge_micros / 1e6, 2)::text as dollars, (created_at at time zone 'UTC')::date::text as day
       from payment where customer_id = '${operatorDataCustomer(1)}' limit 1`,
    );
    const ids = async (text: string) => (await find(text)).hits.map(({ id }) => id);
    expect(await ids("0001")).toContain(paid.id);
    expect(await ids(`0001 ${paid.dollars} ${paid.day}`)).toContain(paid.id);
    expect(await ids("0001 0.07")).toEqual([]);
    expect(await ids(`0001 ${paid.dollars} 2001-01-01`)).toEqual([]);
  });

  test.each([
    ["receipt", "select number as text, id from receipt order by id limit 1"],
    ["case", "select '#' || number as text, number::text as id from support_case limit 1"],
    ["payment", "select payment_intent_id as text, id from payment limit 1"],
    ["payment", "select session_id as text, id from payment limit 1"],
    ["customer", "select provider_customer_id as text, customer_id as id from stripe_customer limit 1"],
    ["call", "select parked_call_control_id as text, id from call where ended_at is null limit 1"],
    ["call", "select far_call_control_id as text, id from call where ended_at is null limit 1"],
    ["call", "select id as text, id from call limit 1"],
    ["posting", "select id as text, id from ledger_transaction where kind = 'call' limit 1"],
    ["mail", "select id as text, id from mail where recipient = 'caller7@example.com' limit 1"],
    ["operation", "select id as text, id from operation where action = 'unfreeze' limit 1"],
  ])("by number or id: %s", async (type, query) => {
    const { text, id } = await one<{ text: string; id: string }>(query);
    expect((await find(text)).hits).toContainEqual(expect.objectContaining({ type, id }));
  });
});

test("a search without a hit finds nothing, and one that means nothing is refused", async () => {
  expect(await find("00000000-0000-4000-8000-ffffffffffff")).toEqual({
    ...{ understood: "id", hits: [], more: false, note: null },
  });
  expect((await find("pi_unknown")).hits).toEqual([]);
  await expect(find("07400 123456")).rejects.toMatchObject({ code: "validation_failed", message: /country code/ });
  await expect(find("?")).rejects.toMatchObject({ code: "validation_failed", message: /Search for/ });
});

test("each search is recorded with its operator, without the address or number", async () => {
  const record = async () =>
    one<object>("select operator, customer_id, detail from operation where action = 'search' order by id desc limit 1");
  await find("caller9@example.com");
  expect(await record()).toEqual({
    operator: "grace",
    customer_id: operatorDataCustomer(9),
    detail: { kind: "email", text: "***@example.com", found: 1, amount_micros: "0", reach: 0 },
  });
  await find("callerx");
  expect(await record()).toMatchObject({ customer_id: null, detail: { kind: "name", text: "ca…", found: 0 } });
  await find("Kovács Peter");
  expect(await record()).toMatchObject({ detail: { kind: "name", text: "ko… pe…" } });
  await find("+44 7400 999999");
  expect(await record()).toMatchObject({ detail: { kind: "number", text: "+44******999" } });
});
