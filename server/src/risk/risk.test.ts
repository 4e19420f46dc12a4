import { sql } from "kysely";
import { DAY_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createCallWorld, LONDON, type CallWorld } from "../../test/worlds/call-world.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import { startRunningCall } from "../../test/running-call.ts";
import { readCarrierSpend, readHourlyCosts } from "./breaker.store.ts";
import { breakerMetrics, readBreakers, watchCosts } from "./risk.ts";
import { testContext } from "../../test/test-context.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(async () => {
  await sql`truncate breaker, call cascade`.execute(world.database.handle.db);
  // Each test runs at noon of the next day, so that nothing of an earlier test counts as today's.
  const day = Math.floor(world.clock.now().getTime() / DAY_MS) + 1;
  world.clock.advance(day * DAY_MS + 12 * HOUR_MS - world.clock.now().getTime());
});

/** Inserts calls with these carrier costs that ended this long ago. */
async function billed(calls: readonly { agoMs: number; dollars: number; prefix?: string }[]): Promise<void> {
  const { db } = world.database.handle;
  const customer = await world.customer();
  for (const { agoMs, dollars, prefix = "44" } of calls) {
    const createdAt = new Date(world.clock.now().getTime() - agoMs - 65_000);
    const [id] = await insertPastCalls(db, [{ customerId: customer.id, createdAt }]);
    await sql`update call set carrier_cost_micros = ${dollars * 1e6}, rate_prefix = ${prefix} where id = ${id}`.execute(db);
  }
}

const ctx = (limitsScale = 1) => testContext({ handle: world.database.handle, clock: world.clock, config: { limitsScale } });
const breakers = async () =>
  (await readBreakers(ctx())).breakers.map(({ kind, subject }) => `${kind} ${subject}`.trim()).toSorted();

test("a call's cost is the carrier's or, until that is known, the deck's for the time so far", async () => {
  const { db } = world.database.handle;
  const since = new Date(world.clock.now().getTime() - HOUR_MS);
  const spend = () => readCarrierSpend(db, since, world.clock.now());
  await sql`update deck_rate set cost_per_minute_micros = 6000, cost_first_interval_seconds = 30, cost_next_interval_seconds = 6`.execute(
    db,
  );
  const call = await startRunningCall(world, { number: LONDON });
  expect(await spend()).toBe(0n);
  world.clock.advance(1_000);
  expect(await spend()).toBe(3_000n);
  world.clock.advance(30_000);
  expect(await spend()).toBe(3_600n);
  await call.end(31_000);
  world.clock.advance(60_000);
  expect(await spend()).toBe(3_600n);
  await sql`update call set carrier_cost_micros = 5000`.execute(db);
  expect(await spend()).toBe(5_000n);
  world.clock.advance(HOUR_MS);
  expect(await readCarrierSpend(db, new Date(world.clock.now().getTime() - HOUR_MS), world.clock.now())).toBe(0n);
});

test("the mean hourly cost is that of the same hour in the last seven days, by prefix", async () => {
  await billed([
    { agoMs: HOUR_MS / 2, dollars: 30 },
    { agoMs: HOUR_MS / 2, dollars: 1, prefix: "4420" },
    // Within the same hour of other days, and just outside it.
    { agoMs: DAY_MS + HOUR_MS / 2, dollars: 7 },
    { agoMs: 7 * DAY_MS + HOUR_MS / 2, dollars: 14 },
    { agoMs: DAY_MS - HOUR_MS / 2, dollars: 100 },
    { agoMs: DAY_MS + HOUR_MS * 1.5, dollars: 100 },
    { agoMs: 8 * DAY_MS + HOUR_MS / 2, dollars: 100 },
  ]);
  const { db } = world.database.handle;
  expect(await readHourlyCosts(db, world.clock.now(), 30_999_999n)).toEqual([
    { prefix: "44", countryCode: "GB", hourMicros: 30_000_000n, meanMicros: 3_000_000n },
    { prefix: "4420", countryCode: "GB", hourMicros: 1_000_000n, meanMicros: 0n },
  ]);
  expect(await readHourlyCosts(db, world.clock.now(), 31_000_000n)).toEqual([]);
});

test("the daily carrier cost causes a warning, then stops calls, each once until midnight and visible in the metrics", async () => {
  await billed([
    { agoMs: 10 * HOUR_MS, dollars: 260 },
    { agoMs: 13 * HOUR_MS, dollars: 900 },
  ]);
  await watchCosts(ctx());
  await watchCosts(ctx());
  expect(await breakers()).toEqual(["spend_note 50"]);
  await billed([{ agoMs: 5 * HOUR_MS, dollars: 240 }]);
  await watchCosts(ctx());
  expect(await breakers()).toEqual(["carrier_spend", "spend_note 50", "spend_note 80"]);
  const metrics = breakerMetrics(ctx());
  const read = async () => Promise.all(metrics.map(async (metric) => metric.warning?.((await metric.read()) as number)));
  expect(await read()).toEqual([
    "Breakers that stop calls: 1. See the command breakers.",
    "Carrier cost has passed 80 % of the daily limit. See the command breakers.",
  ]);
  world.clock.advance(12 * HOUR_MS);
  await watchCosts(ctx());
  expect(await breakers()).toEqual([]);
  expect(await read()).toEqual([null, null]);
});

test("a sudden cost increase pauses its prefix, except with limits off", async () => {
  await billed([{ agoMs: HOUR_MS / 2, dollars: 21, prefix: "44" }]);
  await watchCosts(ctx(0));
  expect(await breakers()).toEqual([]);
  await watchCosts(ctx());
  expect(await breakers()).toEqual(["prefix 44"]);
});
