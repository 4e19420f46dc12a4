import { HOUR_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCustomer } from "../../../test/new-customer.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import { readTrafficReport } from "./traffic-report.ts";
import { sumCallHours } from "./call-metrics.ts";

/** The end of the day before yesterday: its calls are summed, whatever time it is. */
const MIDNIGHT = new Date(Math.floor(Date.now() / (24 * HOUR_MS) - 1) * 24 * HOUR_MS);
const clock = new ManualClock(new Date());

let database: TestDatabase;
let ids: string[];
beforeAll(async () => {
  database = await testDatabase({ poolSize: 4 });
  const { id: customerId } = await newCustomer(database.handle);
  const calls = [1, 1, 2, 5, 30].map((hours) => ({
    customerId,
    createdAt: new Date(MIDNIGHT.getTime() - (hours + 0.5) * HOUR_MS),
    chargeMicros: 120_000n,
  }));
  ids = await insertPastCalls(database.handle.db, calls);
  const attempts = [{ trunk: "main", outcome: "answered", sip_status: 200, post_dial_delay_ms: 1_600 }];
  await sql`update call set transferred_at = created_at, trunk = 'main', carrier_cost_micros = 50_000,
    trunk_attempts = ${JSON.stringify(attempts)}::jsonb`.execute(database.handle.db);
  await sql`insert into call_quality (call_id, second, mos, jitter_ms, loss_pct) select id, 5, 4, 1, 0 from call`.execute(
    database.handle.db,
  );
});
afterAll(() => database.close());

const day = (days: number) => new Date(MIDNIGHT.getTime() + days * 24 * HOUR_MS).toISOString().slice(0, 10);
const context = () => testContext({ handle: database.handle, clock });
const figures = async () => {
  const { read_at: _, ...read } = await readTrafficReport(context(), { from: day(-3), to: day(1) });
  return read;
};
const sum = () => sumCallHours(context(), new AbortController().signal);

test("figures are the same from the calls and from their hours' sums, also after a late change", async () => {
  const { db } = database.handle;
  const fromCalls = await figures();
  expect(fromCalls).toMatchObject({ total: { calls: 5, revenue: "0.60", cost: "0.25" }, quality: [{ seizures: 5, mos: 4 }] });
  await sum();
  expect(await figures()).toEqual(fromCalls);

  // The sums are what is read.
  await sql`update call_hour set calls = calls + 100`.execute(db);
  expect((await figures()).total.calls).toBe(405);

  // The carrier's bill comes later: the call's hour is read from its calls at once, and summed again by the job.
  await sql`update call set carrier_cost_micros = 70_000 where id = ${ids[0]}`.execute(db);
  expect((await figures()).total).toMatchObject({ calls: 305, cost: "0.27" });
  await sum();
  expect((await sql`select from call_hour_change`.execute(db)).rows).toEqual([]);
  expect((await figures()).total).toMatchObject({ calls: 305, cost: "0.27" });

  // A number that is shortened changes no figure.
  await sql`select shorten_calls(array[${ids[1]}]::uuid[])`.execute(db);
  expect((await sql`select from call_hour_change`.execute(db)).rows).toEqual([]);
});
