import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { testContext } from "../../../test/test-context.ts";
import { newCustomer } from "../../../test/new-customer.ts";
import { judgeCalls, trafficMetrics } from "./call-metrics.ts";

const NOW = new Date("2026-11-24T12:00:00Z");
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);

let database: TestDatabase;
let customerId: string;
beforeAll(async () => {
  database = await testDatabase();
  customerId = (await newCustomer(database.handle)).id;
});
afterAll(() => database.close());

async function figures(): Promise<Record<string, unknown>> {
  const ctx = testContext({ handle: database.handle, clock: { now: () => NOW } });
  const read = await Promise.all(
    trafficMetrics(ctx).map(async (metric) => [metric.name.replace("farline_", ""), await metric.read()]),
  );
  return Object.fromEntries(read);
}

async function callOver(attempts: readonly object[], createdAt: Date): Promise<void> {
  const [id] = await insertPastCalls(database.handle.db, [{ customerId, createdAt, chargeMicros: 120_000n }]);
  await sql`update call set trunk_attempts = ${JSON.stringify(attempts)}::jsonb, carrier_cost_micros = 50_000 where id = ${id}`.execute(
    database.handle.db,
  );
}

const attempt = (trunk: string, outcome: string, sip_status: number | null, post_dial_delay_ms: number | null) => ({
  ...{ trunk, outcome, sip_status, post_dial_delay_ms, q850_cause: null },
  ...{ started_at: NOW.toISOString(), duration_ms: 5_000 },
});

test("each attempt counts for its trunk, and calls from before a quarter of an hour do not", async () => {
  await callOver([attempt("main", "failed", 503, null), attempt("spare", "answered", 200, 1_000)], minutesAgo(5));
  await callOver([attempt("main", "refused", 486, 2_000)], minutesAgo(6));
  await callOver([attempt("main", "refused", 404, null)], minutesAgo(7));
  await callOver([attempt("main", "answered", 200, 3_000)], minutesAgo(16));
  expect(await figures()).toMatchObject({
    trunk_seizures: new Map([
      ["main", 3],
      ["spare", 1],
    ]),
    trunk_answered: new Map([
      ["main", 0],
      ["spare", 1],
    ]),
    trunk_effective: new Map([
      ["main", 1],
      ["spare", 1],
    ]),
    trunk_post_dial_delay_p95_seconds: new Map([
      ["main", 2],
      ["spare", 1],
    ]),
    calls_live: new Map([
      ["ringing", 0],
      ["answered", 0],
    ]),
    call_overdue_seconds: 0,
    charges_hour_dollars: 0.48,
    carrier_cost_hour_dollars: 0.2,
  });
});

test("a call that should be over is reported by its age", async () => {
  const [id] = await insertPastCalls(database.handle.db, [{ customerId, createdAt: minutesAgo(200) }]);
  await sql`update call set status = 'in-progress', charge_micros = 0, end_reason = null, ended_at = null, next_check_at = ${NOW},
    ends_at = ${minutesAgo(10)} where id = ${id}`.execute(database.handle.db);
  expect(await figures()).toMatchObject({
    call_overdue_seconds: 600,
    calls_live: new Map([
      ["ringing", 0],
      ["answered", 1],
    ]),
  });
  const metric = trafficMetrics(testContext({ handle: database.handle })).find(
    ({ name }) => name === "farline_call_overdue_seconds",
  );
  expect([metric?.warning?.(299), metric?.warning?.(600)]).toEqual([
    null,
    "A call that should be over has not been settled for 10 minutes.",
  ]);
});

test("far fewer calls than in the same hour of the last four weeks are a trouble", async () => {
  const { db } = database.handle;
  const week = 7 * 24 * 60;
  const past = [1, 2, 3, 4].flatMap((weeks) =>
    Array.from({ length: 30 }, () => ({ customerId, createdAt: minutesAgo(weeks * week + 30) })),
  );
  const ids = await insertPastCalls(db, past);
  const [usual] = trafficMetrics(testContext({ handle: database.handle, clock: { now: () => NOW } }));
  expect(await usual?.read()).toBe(100);
  await sql`update call set transferred_at = created_at where id = any(${ids})`.execute(db);
  const [again] = trafficMetrics(testContext({ handle: database.handle, clock: { now: () => NOW } }));
  const percent = (await again?.read()) as number;
  expect(percent).toBeLessThan(40);
  expect(again?.warning?.(percent)).toMatchObject({ detail: "The same hour of the last four weeks had 30." });
});

test("calls are down when the latest failed on our side, not when callers hung up or nobody answered", async () => {
  const { db } = database.handle;
  const ctx = testContext({ handle: database.handle, clock: { now: () => NOW } });
  let ago = 10;
  const end = async (reason: string, times: number) => {
    ago -= 1;
    const ids = await insertPastCalls(
      db,
      Array.from({ length: times }, () => ({ customerId, createdAt: minutesAgo(ago) })),
    );
    await sql`update call set end_reason = ${reason} where id = any(${ids})`.execute(db);
  };
  await sql`update call set ended_at = ended_at - interval '1 day', created_at = created_at - interval '1 day'
    where ended_at is not null`.execute(db);
  await end("network_failure", 2);
  await end("cancelled", 10);
  expect(await judgeCalls(ctx)).toMatchObject({ worked: 0, failed: 2, failure: null });
  await end("never_connected", 1);
  expect((await judgeCalls(ctx)).failure).toMatch(/^The latest ended with "/);
  await end("no_answer", 17);
  expect(await judgeCalls(ctx)).toMatchObject({ worked: 17, failed: 3, failure: null });
});

test("a trunk over which few attempts reach the called phone is a trouble, from thirty attempts on", async () => {
  const metric = trafficMetrics(testContext({ handle: database.handle, clock: { now: () => NOW } })).find(
    ({ name }) => name === "farline_trunk_effective",
  );
  for (let count = 0; count < 29; count += 1) await callOver([attempt("bad", "failed", 503, null)], minutesAgo(4));
  await metric?.read();
  expect(metric?.warning?.(0, "bad")).toBeNull();
  await callOver([attempt("bad", "answered", 200, 900)], minutesAgo(4));
  await metric?.read();
  expect(metric?.warning?.(1, "bad")).toBe("Only 1 of the last 30 attempts over trunk bad reached the called phone.");
});
