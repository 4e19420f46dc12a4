import { readFileSync } from "node:fs";
import type { TroubleResponse } from "@farline/contract/operations.ts";
import { runbookNames, runbooks } from "@farline/contract/operator/constants.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleApp, type ConsoleApp } from "../../test/worlds/console-app.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import { testContext } from "../../test/test-context.ts";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { ledgerJobs } from "../ledger/ledger.ts";
import type { TrunkState } from "../calls/calls.ts";
import { overviewRoutes } from "./overview.ts";

const WARNING = {
  ...{ id: "farline_breakers_open", level: "ticket", since: "2026-11-26T08:00:00.000Z", size: 1, detail: null },
  ...{ text: "Breakers that stop calls: 1.", runbook: "carrier-spend" },
} satisfies TroubleResponse as TroubleResponse;
const DAY_MS = 86_400_000;
const QUIET_TRUNK = { seizures: 0, answered: 0, live: 0, usual_seizures: 0, usual_answered: 0 } as const;

let world: BillingWorld;
let caller: BillingClient;
let trunks: readonly TrunkState[] | null = null;
const apps: ConsoleApp[] = [];
beforeAll(async () => {
  world = await BillingWorld.start();
});
afterAll(async () => {
  for (const app of apps) await app.close();
  await world.close();
});

/** What an operator reads, from a service that has kept no figures yet. */
async function overviewFor(name: string, path = "", troubles = async () => [WARNING]) {
  const { ctx } = world.service;
  const app = consoleApp(ctx, (to) => overviewRoutes(to, ctx, { troubles, parts: async () => [], trunks: () => trunks }));
  apps.push(app);
  const { status, body } = await app.as(name, "GET", `overview${path}`);
  expect(status).toBe(200);
  return body;
}

async function pastCall(minutesAgo: number, more: { chargeMicros: bigint; costMicros: bigint; outcome: string }) {
  const { db } = world.database.handle;
  const createdAt = new Date(world.service.clock.now().getTime() - minutesAgo * 60_000);
  const [id] = await insertPastCalls(db, [{ customerId: caller.id, createdAt, chargeMicros: more.chargeMicros }]);
  const attempts = [{ trunk: "main", outcome: more.outcome, sip_status: 200, post_dial_delay_ms: 900 }];
  await sql`update call set transferred_at = created_at, trunk = 'main', carrier_cost_micros = ${more.costMicros},
    trunk_attempts = ${JSON.stringify(attempts)}::jsonb where id = ${id}`.execute(db);
  return id;
}

test("before the first call, an administrator reads what is missing", async () => {
  expect((await overviewFor("grace")).first_steps).toEqual({ operators: true, deck: false, trunk: true, payments: false });
  trunks = [{ name: "main", up: false, refusedWith: 403, failing: false, problem: null }];
  const { first_steps: steps, trunks: shown } = await overviewFor("grace");
  expect([steps.trunk, shown]).toEqual([false, [{ ...QUIET_TRUNK, name: "main", state: "refused" }]]);
  expect((await overviewFor("bob")).first_steps).toBeNull();
});

test("today stands beside the same hours of the same weekday a week ago, by what the role may see", async () => {
  world.service.clock.advance(DAY_MS - (world.service.clock.now().getTime() % DAY_MS) + 12 * 3_600_000);
  caller = await world.service.signUp();
  await world.paid(caller, { amount: 20 });
  // The database's clock is not the test's.
  const minuteAgo = new Date(world.service.clock.now().getTime() - 60_000);
  await sql`alter table ledger_transaction disable trigger user`.execute(world.database.handle.db);
  for (const table of ["customer", "ledger_transaction"])
    await sql`update ${sql.table(table)} set created_at = ${minuteAgo}`.execute(world.database.handle.db);
  await pastCall(30, { chargeMicros: 500_000n, costMicros: 200_000n, outcome: "answered" });
  await pastCall(20, { chargeMicros: 0n, costMicros: 0n, outcome: "failed" });
  await pastCall(7 * 1_440 + 30, { chargeMicros: 120_000n, costMicros: 50_000n, outcome: "answered" });
  await pastCall(7 * 1_440 - 30, { chargeMicros: 990_000n, costMicros: 0n, outcome: "answered" });
  const seen = await overviewFor("bob");
  expect(seen.today).toMatchObject({
    calls: 2,
    revenue: "0.50",
    margin: "0.30",
    top_ups: 1,
    topped_up: "20.00",
    new_customers: 1,
  });
  expect(seen.week_ago).toMatchObject({ calls: 1, revenue: "0.12", margin: "0.07", top_ups: 0, topped_up: "0.00" });
  expect(seen.trunks).toEqual([{ ...QUIET_TRUNK, name: "main", state: "refused", seizures: 2, answered: 1 }]);
  expect(seen.warnings).toEqual([WARNING]);
  const { today, week_ago: before, live, decks, ledger, queue } = await overviewFor("eve");
  expect([today.margin, before.margin, live.cost, decks, ledger]).toEqual([null, null, null, null, null]);
  expect(queue.map(({ kind }: { kind: string }) => kind)).toEqual(["question", "refund_request", "approval", "slow_refund"]);
});

test("a part that cannot be read is named, and the rest stays", async () => {
  const seen = await overviewFor("bob", "", () => Promise.reject(new Error("no warnings today")));
  expect([seen.unread, seen.warnings]).toEqual([["warnings"], null]);
  expect(seen.today).not.toBeNull();
});

test("a day begins at midnight of the operator's zone", async () => {
  // The test's day is at noon in UTC, which is before midnight nowhere but on the other side of the world.
  const utc = await overviewFor("bob");
  const kiritimati = await overviewFor("bob", "?zone=Pacific/Kiritimati");
  expect(utc.today.calls).toBe(2);
  expect([kiritimati.today.day > utc.today.day, kiritimati.today.calls]).toEqual([true, 2]);
});

test("hours reach back 32 days, and hide the margin from those who may not see costs", async () => {
  const hours = await overviewFor("bob", "/hours");
  expect([hours.calls.length, hours.calls.at(-1) + hours.calls.at(-2), hours.margin.length]).toEqual([768, 2, 768]);
  expect((await overviewFor("eve", "/hours")).margin).toBeNull();
});

test("live calls are added up: what they cost so far, and at most", async () => {
  const { db } = world.database.handle;
  const live = await pastCall(2, { chargeMicros: 0n, costMicros: 0n, outcome: "answered" });
  const at = world.service.clock.now();
  await sql`update call set status = 'in-progress', end_reason = null, ended_at = null, next_check_at = ${at}, held_micros = 5000000,
    answered_at = ${new Date(at.getTime() - 60_000)}, rate_per_minute_micros = 120000 where id = ${live}`.execute(db);
  expect((await overviewFor("bob")).live).toEqual({ ringing: 0, answered: 1, charge: "0.12", held: "5.00", cost: "0.00" });
});

test("the ledger's last good check stays known when a later one finds deviations", async () => {
  const { handle } = world.database;
  const [verify] = ledgerJobs(testContext({ handle, clock: world.service.clock }));
  await verify?.run(new AbortController().signal);
  const good = world.service.clock.now().toISOString();
  world.service.clock.advance(3_600_000);
  await sql`update ledger_check set deviations = 2, checked_at = ${world.service.clock.now()}`.execute(handle.db);
  expect((await overviewFor("grace")).ledger).toEqual({
    ...{ checked_at: world.service.clock.now().toISOString(), good_at: good, deviations: 2 },
  });
});

test.each(runbookNames)("the runbook %s begins with the step that the overview shows", (name) => {
  const page = readFileSync(new URL(`../../../docs/runbooks/${name}.md`, import.meta.url), "utf8");
  expect(page).toContain(`## Look first\n\n1. ${runbooks[name].step}: `);
});
