import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { testContext } from "../../../test/test-context.ts";
import { newCustomer } from "../../../test/new-customer.ts";
import { trafficMetrics } from "./call-metrics.ts";

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
