import { type QualityReport, qualityReport } from "@farline/contract/quality.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createTestApp } from "../../../test/create-test-app.ts";
import { newCustomer } from "../../../test/new-customer.ts";
import { insertManyCalls, type ManyCalls } from "../../../test/many-calls.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import { makeQualityReport, PublishedQuality, qualityRoutes } from "./quality-report.ts";
import type { findQualityReport } from "./quality-report.store.ts";

const MIDNIGHT = new Date("2026-11-26T00:00:00Z");
const NOON = new Date("2026-11-26T12:00:00Z");

let database: TestDatabase;
let customers: string[];
beforeAll(async () => {
  database = await testDatabase();
  customers = await Promise.all(Array.from({ length: 26 }, async () => (await newCustomer(database.handle)).id));
});
afterEach(async () => {
  await sql`truncate call, call_quality, quality_report, called_prefix cascade`.execute(database.handle.db);
});
afterAll(() => database.close());

/** Calls that ended within a day before the report's end: 1 is the last day. */
async function calls({ daysAgo = 1, ...more }: Omit<ManyCalls, "createdAt"> & { readonly daysAgo?: number }): Promise<void> {
  const createdAt = new Date(MIDNIGHT.getTime() - daysAgo * DAY_MS + 60_000);
  await insertManyCalls(database.handle.db, { ...more, createdAt });
}

async function report(clock = new ManualClock(NOON)): Promise<QualityReport> {
  const ctx = testContext({ handle: database.handle, clock });
  await makeQualityReport(ctx);
  return new PublishedQuality(ctx).latest();
}
const countriesOf = ({ destinations }: QualityReport) => destinations.map((one) => one.country_code);

test("answered calls are counted by prefix once a day, at most four of a customer, for types with a hundred of them", async () => {
  const createdAt = new Date(MIDNIGHT.getTime() - DAY_MS);
  const of = (customerId: string, ratePrefix: string, numberType = "mobile") => ({
    createdAt,
    customerId,
    ratePrefix,
    numberType,
    countryCode: "GH",
  });
  await insertPastCalls(database.handle.db, [
    ...customers.flatMap((customer) => Array.from({ length: 4 }, () => of(customer, "23324"))),
    ...Array.from({ length: 300 }, () => of(customers[0] ?? "", "23356")),
    ...customers.map((customer) => of(customer, "233302", "landline")),
  ]);
  await report();
  const counted = await database.handle.db
    .selectFrom("called_prefix")
    .select(["country_code", "number_type", "prefix", "calls"])
    .execute();
  expect(counted).toEqual([
    { country_code: "GH", number_type: "mobile", prefix: "23324", calls: 100 },
    { country_code: "GH", number_type: "mobile", prefix: "23356", calls: 4 },
  ]);
});

test("calls that were sent to a carrier are reported by country, once each, with the caller's own wait", async () => {
  const attempts = [
    { started_at: "2026-11-25T00:01:00.000Z", post_dial_delay_ms: null },
    { started_at: "2026-11-25T00:01:02.000Z", post_dial_delay_ms: 1_100 },
  ];
  await calls({ by: customers, each: 3, countryCode: "GH", attempts, mos: 4.27 });
  await calls({ by: customers, each: 1, countryCode: "GH", status: "failed", attempts });
  await insertPastCalls(
    database.handle.db,
    customers.map((customerId) => ({ customerId, createdAt: new Date(MIDNIGHT.getTime() - DAY_MS), countryCode: "FR" })),
  );
  const { last_day, made_at, destinations } = await report();
  expect([last_day, made_at]).toEqual(["2026-11-25", NOON.toISOString()]);
  expect(destinations).toEqual([
    {
      ...{ country_code: "GH", days: 30, calls_at_least: 100, answered_percent: 75 },
      ...{ delay_median_seconds: 3, delay_p95_seconds: 3, mos_median: null },
    },
  ]);
});

test("the quality is the median of the calls' means, and needs as many calls", async () => {
  await calls({ by: customers.slice(0, 12), each: 4, mos: 3.1 });
  await calls({ by: customers.slice(12), each: 4, mos: 4.42 });
  expect((await report()).destinations).toMatchObject([{ country_code: "GB", answered_percent: 100, mos_median: 4.4 }]);
});

describe("nobody is recognised, and nobody decides a figure alone", () => {
  test("a customer's hundreds of calls count as four", async () => {
    await calls({ by: customers.slice(0, 1), each: 400, countryCode: "TO" });
    await calls({ by: customers.slice(1, 25), each: 4, countryCode: "TV", status: "failed" });
    await calls({ by: customers.slice(0, 1), each: 200, countryCode: "TV", mos: 5 });
    const { destinations } = await report();
    expect(countriesOf({ destinations } as QualityReport)).toEqual(["TV"]);
    expect(destinations[0]).toMatchObject({ answered_percent: 5, mos_median: null });
  });

  test("24 customers are too few, whatever their number of calls", async () => {
    await calls({ by: customers.slice(0, 24), each: 8 });
    expect((await report()).destinations).toEqual([]);
  });

  test("calls of the running day change nothing until it is over", async () => {
    await calls({ by: customers, each: 4 });
    await calls({ by: customers, each: 4, daysAgo: 0, status: "failed", countryCode: "GH" });
    const clock = new ManualClock(NOON);
    expect(countriesOf(await report(clock))).toEqual(["GB"]);
    clock.advance(DAY_MS);
    expect(countriesOf(await report(clock))).toEqual(["GB", "GH"]);
  });

  test("a day's report is made once, and a new one replaces it", async () => {
    await calls({ by: customers, each: 4 });
    const clock = new ManualClock(NOON);
    await report(clock);
    await sql`delete from call`.execute(database.handle.db);
    clock.advance(60_000);
    expect((await report(clock)).destinations).toMatchObject([{ answered_percent: 100 }]);
    clock.advance(DAY_MS);
    expect(await report(clock)).toMatchObject({ last_day: "2026-11-26", destinations: [] });
    const { rows } = await sql`select last_day from quality_report`.execute(database.handle.db);
    expect(rows).toEqual([{ last_day: "2026-11-26" }]);
  });
});

test("30 days count where they have enough calls, else 90, and no older ones", async () => {
  await calls({ by: customers, each: 4, daysAgo: 30, countryCode: "GB" });
  await calls({ by: customers, each: 4, daysAgo: 31, countryCode: "GB", status: "failed" });
  await calls({ by: customers, each: 2, daysAgo: 30, countryCode: "GH" });
  await calls({ by: customers, each: 2, daysAgo: 90, countryCode: "GH", status: "failed" });
  await calls({ by: customers, each: 4, daysAgo: 91, countryCode: "FR" });
  expect((await report()).destinations).toMatchObject([
    { country_code: "GB", days: 30, answered_percent: 100 },
    { country_code: "GH", days: 90, answered_percent: 50 },
  ]);
});

describe("GET /api/quality", () => {
  test("is kept for a minute, revalidated by ETag, and shows nothing before the first report", async () => {
    const clock = new ManualClock(NOON);
    const ctx = testContext({ handle: database.handle, clock });
    const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0 });
    qualityRoutes(app, new PublishedQuality(ctx));
    const first = await app.inject("/api/quality");
    expect(qualityReport.parse(first.json())).toEqual({ last_day: null, made_at: null, destinations: [] });
    await calls({ by: customers, each: 4 });
    await makeQualityReport(ctx);
    expect((await app.inject("/api/quality")).headers.etag).toBe(first.headers.etag);
    clock.advance(60_000);
    const later = await app.inject("/api/quality");
    expect(qualityReport.parse(later.json()).destinations).toHaveLength(1);
    expect(later.headers["cache-control"]).toBe("public, max-age=60");
    const headers = { "if-none-match": String(later.headers.etag) };
    expect((await app.inject({ url: "/api/quality", headers })).statusCode).toBe(304);
    await app.close();
  });

  test("requests share one read, and keep the last report while the database is away or hangs", async () => {
    const clock = new ManualClock(NOON);
    const find = vi.fn<typeof findQualityReport>(async () => ({ last_day: "2026-11-25", made_at: NOON, destinations: [] }));
    const quality = new PublishedQuality(testContext({ handle: database.handle, clock }), find);
    const reports = await Promise.all([quality.latest(), quality.latest(), quality.latest()]);
    expect(reports.map(({ last_day }) => last_day)).toEqual(["2026-11-25", "2026-11-25", "2026-11-25"]);
    clock.advance(60_000);
    find.mockRejectedValueOnce(new Error("away"));
    expect((await quality.latest()).last_day).toBe("2026-11-25");
    await quality.latest();
    expect(find).toHaveBeenCalledTimes(2);
    clock.advance(60_000);
    find.mockReturnValueOnce(new Promise(() => undefined));
    vi.useFakeTimers();
    const late = quality.latest();
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect((await late).last_day).toBe("2026-11-25");
  });
});
