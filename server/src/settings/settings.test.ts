import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CurrentSettings } from "./current-settings.ts";
import { confirm, operate } from "../../test/operate.ts";
import { asOperator, testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { openApprovals } from "../operator/operator.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { createSettings, definitionOf, readValue, writeValue, readSettingHistory, readSettings } from "./settings.ts";

const NOW = new Date("2026-11-01T12:00:00Z");
const LATER = new Date("2026-12-01T00:00:00Z");
const SPEND = "carrier-costs.spend-per-day";
const WORDS = "Carrier costs: maximum per day";
const DOLLAR = 1_000_000n;

let database: TestDatabase;
let clock: ManualClock;
let settings: CurrentSettings;
beforeEach(async () => {
  database = await testDatabase();
  clock = new ManualClock(NOW);
  settings = await createSettings({ db: database.handle.db, clock, log: pino({ level: "silent" }) });
});
afterEach(async () => {
  settings.close();
  await database.close();
});

const as = (name: string) => asOperator(testContext({ handle: database.handle, clock }), name);
const set = (value: bigint, order: { from?: Date; name?: string } = {}) =>
  operate(as("grace"), "set-setting", {
    setting: order.name ?? SPEND,
    value: writeValue(definitionOf(SPEND), value),
    from: order.from?.toISOString() ?? null,
    reason: "Christmas",
  });
const spend = async () => {
  await settings.refresh();
  return settings.current().carrierCosts.spendPerDayMicros;
};

test("a changed setting applies from its time on, and its record names who and why", async () => {
  expect(await spend()).toBe(500n * DOLLAR);
  await set(800n * DOLLAR);
  await set(900n * DOLLAR, { from: LATER });
  expect(await spend()).toBe(800n * DOLLAR);
  expect(settings.current(LATER).carrierCosts.spendPerDayMicros).toBe(900n * DOLLAR);
  clock.advance(LATER.getTime() - NOW.getTime());
  expect(settings.current().carrierCosts.spendPerDayMicros).toBe(900n * DOLLAR);
  const { rows } = await sql<any>`select operator, action, subject, reason, detail from operation order by id limit 1`.execute(
    database.handle.db,
  );
  expect(rows).toEqual([
    {
      operator: "grace",
      action: "set-setting",
      subject: SPEND,
      reason: "Christmas",
      detail: {
        before: "$500.00",
        value: "$800.00",
        starts: "now",
        valid_from: NOW.toISOString(),
        amount_micros: "0",
        reach: "everyone",
      },
    },
  ]);
  expect(await readSettingHistory(as("grace"), SPEND)).toMatchObject({
    total: 2,
    values: [{ value: "$900.00" }, { value: "$800.00" }],
  });
});

test("a value beyond what one operator may set waits for a second one, who confirms what is still so", async () => {
  await expect(set(5_000n * DOLLAR)).rejects.toThrow(
    `Nothing has changed yet. "${WORDS}" would change from $500.00 to $5000.00; one operator alone may set $100.00 to $1000.00.`,
  );
  expect(await spend()).toBe(500n * DOLLAR);
  const [proposal] = await openApprovals(as("ana"));
  const confirms = proposal?.id ?? "";
  await expect(confirm(as("grace"), confirms)).rejects.toThrow("Another operator must confirm it.");
  const rewrite = (value: string) =>
    sql`update approval set input = jsonb_set(input, '{value}', to_jsonb(${value}::text)) where id = ${confirms}`.execute(
      database.handle.db,
    );
  await rewrite("$6000.00");
  await expect(confirm(as("ana"), confirms)).rejects.toThrow("no longer matches the current state");
  await rewrite("$5000.00");
  expect(proposal?.detail["value"]).toBe("$5000.00");
  await confirm(as("ana"), confirms);
  expect(await spend()).toBe(5_000n * DOLLAR);
});

test("unknown settings, values out of bounds and past times are refused", async () => {
  await expect(set(1n, { name: "mark-up" })).rejects.toThrow("There is no setting mark-up.");
  await expect(set(500_000n * DOLLAR)).rejects.toThrow(`"${WORDS}" must be from $10.00 to $50000.00.`);
  await expect(set(600n * DOLLAR, { from: new Date(NOW.getTime() - 1) })).rejects.toThrow("has passed");
  expect(() => readValue(SPEND, "many")).toThrow(`"${WORDS}" is an amount in dollars.`);
  expect(await openApprovals(as("ana"))).toEqual([]);
});

test("a stored value that a release no longer accepts leaves the default in force", async () => {
  await sql`insert into setting values (gen_random_uuid(), ${SPEND}, 1, ${NOW}, 'grace', 'Typo', ${NOW})`.execute(
    database.handle.db,
  );
  await sql`insert into setting values (gen_random_uuid(), 'gone', 1, ${NOW}, 'grace', 'Old', ${NOW})`.execute(
    database.handle.db,
  );
  expect(await spend()).toBe(500n * DOLLAR);
});

test("the list shows values, defaults and what follows", async () => {
  await set(700n * DOLLAR, { from: LATER });
  const listed = (await readSettings(as("grace"))).find(({ name }) => name === SPEND);
  expect(listed).toMatchObject({ value: "$500.00", since: null, next: [{ value: "$700.00", from: LATER.toISOString() }] });
});
