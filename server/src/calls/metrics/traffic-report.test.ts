import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCustomer } from "../../../test/new-customer.ts";
import { insertPastCalls, type PastCall } from "../../../test/past-calls.ts";
import { testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { readTrafficReport } from "./traffic-report.ts";

let database: TestDatabase;
let customerId: string;
beforeAll(async () => {
  database = await testDatabase();
  customerId = (await newCustomer(database.handle)).id;
});
afterAll(() => database.close());

async function call(at: string, more: Partial<PastCall> & { trunk: string; costMicros?: bigint; mos?: number }): Promise<void> {
  const { trunk, costMicros = null, mos, ...past } = more;
  const { db } = database.handle;
  const [id] = await insertPastCalls(db, [{ customerId, createdAt: new Date(at), chargeMicros: 120_000n, ...past }]);
  const outcome = past.status === "failed" ? "failed" : "answered";
  const attempt = {
    trunk,
    outcome,
    sip_status: outcome === "failed" ? 503 : 200,
    post_dial_delay_ms: outcome === "failed" ? null : 1_500,
  };
  await sql`update call set transferred_at = created_at, trunk = ${trunk}, carrier_cost_micros = ${costMicros},
    trunk_attempts = ${JSON.stringify([attempt])}::jsonb where id = ${id}`.execute(db);
  if (mos !== undefined)
    await sql`insert into call_quality (call_id, second, mos, jitter_ms, loss_pct) values (${id}, 5, ${mos}, 1, 0)`.execute(db);
}
const read = (from: string, to: string, zone?: string) =>
  readTrafficReport(testContext({ handle: database.handle }), { from, to, zone });

test("calls count on the day they ended, with the carrier's cost or the price list's; trunks by their attempts", async () => {
  await call("2026-11-01T23:59:00Z", { trunk: "main", costMicros: 50_000n, mos: 4 });
  await call("2026-11-02T10:00:00Z", { trunk: "main", countryCode: "FR", durationMs: 180_000, chargeMicros: 360_000n, mos: 3 });
  await call("2026-11-02T11:00:00Z", { trunk: "spare", status: "failed" });
  await call("2026-11-03T11:00:00Z", { trunk: "spare" });
  const refused = await insertPastCalls(database.handle.db, [
    { customerId, createdAt: new Date("2026-11-02T12:00:00Z"), status: "failed" },
  ]);
  expect(refused).toHaveLength(1);
  const both = { calls: 3, answered: 2, seconds: 240, revenue: "0.48", cost: "0.23", estimated: "0.18", margin: "0.25" };
  const { total, hours, days, countries, trunks, quality, country_quality: byCountry } = await read("2026-11-01", "2026-11-03");
  expect(total).toEqual({ key: "", ...both });
  expect(days).toEqual([{ ...both, key: "2026-11-02" }]);
  expect(countries.map(({ key, calls, answered, margin }) => [key, calls, answered, margin])).toEqual([
    ["FR", 1, 1, "0.18"],
    ["GB", 2, 1, "0.07"],
  ]);
  expect(trunks.map(({ key, calls, revenue }) => [key, calls, revenue])).toEqual([
    ["main", 2, "0.48"],
    ["spare", 1, "0.00"],
  ]);
  expect(hours.map(({ key, calls }) => [key, calls])).toEqual([
    ["2026-11-02T00:00:00.000Z", 1],
    ["2026-11-02T10:00:00.000Z", 1],
    ["2026-11-02T11:00:00.000Z", 1],
  ]);
  expect(byCountry.map((one) => [one.key, one.seizures, one.answered, one.delay_mean_seconds, one.mos])).toEqual([
    ["FR", 1, 1, 1.5, 3],
    ["GB", 2, 1, 1.5, 4],
  ]);
  const delays = { delay_mean_seconds: 1.5, delay_median_seconds: 1.5, delay_p95_seconds: 1.5 };
  const none = { delay_mean_seconds: null, delay_median_seconds: null, delay_p95_seconds: null, mos: null };
  expect(quality).toEqual([
    { key: "main", seizures: 2, answered: 2, effective: 2, ...delays, mos: 3.25 },
    { key: "spare", seizures: 1, answered: 0, effective: 0, ...none },
  ]);
});

test.each([
  ["2026-11-02", "2026-11-02"],
  ["2026-11-03", "2026-11-02"],
  ["2026-01-01", "2026-11-02"],
])("the span from %s to %s is refused", async (from, to) => {
  await expect(read(from, to)).rejects.toMatchObject({ code: "validation_failed" });
});

test("days follow the zone's clock, also where it is not whole hours from UTC; an unknown zone is refused", async () => {
  // 00:00 UTC is 05:30 in India, and 19:00 the day before in New York.
  expect((await read("2026-11-02", "2026-11-03", "Asia/Kolkata")).days.map(({ key, calls }) => [key, calls])).toEqual([
    ["2026-11-02", 3],
  ]);
  const newYork = await read("2026-11-01", "2026-11-03", "America/New_York");
  expect(newYork.days.map(({ key, calls }) => [key, calls])).toEqual([
    ["2026-11-01", 1],
    ["2026-11-02", 2],
  ]);
  await expect(read("2026-11-02", "2026-11-03", "Mars/Olympus")).rejects.toMatchObject({ code: "validation_failed" });
});
