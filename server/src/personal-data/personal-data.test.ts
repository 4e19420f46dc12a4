import { DAY_MS } from "@farline/domain/durations.ts";
import { NUMBERS_KEPT_MONTHS } from "@farline/contract/constants.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newCustomer } from "../../test/new-customer.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { ledger } from "../ledger/ledger.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { shortenNumbers } from "./personal-data.ts";
import { testContext } from "../../test/test-context.ts";

const NOW = new Date("2026-06-15T12:00:00Z");

let database: TestDatabase;
let customerId: string;
beforeAll(async () => {
  database = await testDatabase();
  customerId = (await newCustomer(database.handle)).id;
});
afterAll(() => database.close());

const query = async (sql: string, values: unknown[] = []) => (await database.handle.pool.query(sql, values)).rows;
const shorten = async (at = NOW) => {
  await shortenNumbers(testContext({ handle: database.handle, clock: new ManualClock(at) }), new AbortController().signal);
};

async function callAt(createdAt: Date, prefix = "44"): Promise<string> {
  const [id = ""] = await insertPastCalls(database.handle.db, [{ customerId, createdAt }]);
  await query("update call set rate_prefix = $2 where id = $1", [id, prefix]);
  return id;
}
const numberOf = async (id: string) => (await query("select destination from call where id = $1", [id]))[0]?.destination;

describe("the number of a call", () => {
  test("is shortened when its retention ends, not earlier", async () => {
    expect(NUMBERS_KEPT_MONTHS).toBe(12);
    const [old, young] = [await callAt(new Date("2025-06-15T11:59:59Z")), await callAt(new Date("2025-06-15T12:00:00Z"))];
    await shorten();
    expect([await numberOf(old), await numberOf(young)]).toEqual(["+44*", "+442079460000"]);
    await shorten(new Date(NOW.getTime() + DAY_MS));
    expect(await numberOf(young)).toBe("+44*");
  });

  test("is also shortened in its events and in the ledger's description, and amounts stay", async () => {
    const at = new Date("2025-06-17T09:00:00Z");
    const id = await callAt(at, "4420");
    const topUp = { key: "top-up", customerId, kind: "top_up" as const, amountMicros: 100_000n, referenceId: null };
    await ledger.credit(database.handle.db, { ...topUp, description: "Top-up" });
    await ledger.hold(database.handle.db, { holdId: id, customerId, wantMicros: 100_000n, leastMicros: 100_000n });
    await ledger.postHold(database.handle.db, { holdId: id, chargeMicros: 60_000n, description: "Call to +44 20 7946 0000" });
    await query("insert into call_event values ('e1', $1, 'provider', 'call.hangup', 'far', $2, $2, $3)", [
      id,
      at,
      { to: "+442079460000" },
    ]);
    await shorten(new Date("2026-06-20T00:00:00Z"));
    expect(await numberOf(id)).toBe("+4420*");
    expect(await query("select payload from call_event where call_id = $1", [id])).toEqual([{ payload: {} }]);
    const [entry] = await query(
      "select t.description, e.amount_micros from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null where t.idempotency_key = $1",
      [`call:${id}`],
    );
    expect(entry).toEqual({ description: "Call to +4420*", amount_micros: -60_000n });
  });

  test("is shortened once: another run changes nothing, and continues where the last one ended", async () => {
    const before = await query("select * from call order by id");
    await shorten(new Date("2026-06-20T00:00:00Z"));
    expect(await query("select * from call order by id")).toEqual(before);
    expect(await query("select done_until from number_shortening")).toEqual([{ done_until: new Date("2025-06-20T00:00:00Z") }]);
  });

  test("is shortened in batches until none is left", async () => {
    const created = new Date("2025-07-01T00:00:00Z");
    const template = await callAt(created);
    const columns = (await query("select column_name as name from information_schema.columns where table_name = 'call'")).map(
      ({ name }) => String(name),
    );
    const others = columns.filter((name) => !["id", "ticket_hash"].includes(name)).join(", ");
    await query(
      `insert into call (id, ticket_hash, ${others}) select gen_random_uuid(), sha256(convert_to(i::text, 'UTF8')), ${others}
       from call, generate_series(1, 1200) i where id = $1`,
      [template],
    );
    await shorten(new Date("2026-07-02T00:00:00Z"));
    expect(await query("select count(*)::int as n from call where destination not like '%*'")).toEqual([{ n: 0 }]);
  });
});

test.each([
  ["+442079460000", "44", "+44*"],
  ["+4915155512345", "491515", "+491515*"],
  ["+12025550143", "12025550143", "+1202555*"],
  ["+88216", "88216", "+8*"],
  ["+44*", "44", "+44*"],
])("%s of the prefix %s becomes %s", async (number, prefix, short) => {
  expect(await query("select shorten_number($1, $2) as short", [number, prefix])).toEqual([{ short }]);
});
