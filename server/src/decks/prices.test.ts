import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainNumber } from "./explain-number.ts";
import { DECK_TIME, DeckWorld } from "../../test/worlds/deck-world.ts";
import { presentHistory } from "./decks.ts";

const NEXT = new Date(DECK_TIME.getTime() + 7 * DAY_MS);
const LONDON = "+442079460958";

let world: DeckWorld;
beforeAll(async () => {
  world = await DeckWorld.start();
  await world.putInForce([
    "GB,44,United Kingdom,0.02,1,1,,",
    "GB,447,UK Mobile,0.05,60,60,,",
    "GB,4474,UK closed,0.05,1,1,,Closed",
  ]);
  await world.putInForce(["GB,44,United Kingdom,0.03,1,1,,"], { effective: NEXT });
  await world.putInForce(["GB,44,United Kingdom,0.01,1,1,,"], { trunk: "cheap" });
  await world.putInForce(["GB,44,United Kingdom,0.2,60,60,,"], { trunk: "dear" });
  await world.putInForce(["DE,49,Germany,0.02,1,1,,"], { trunk: "german" });
});
afterAll(() => world.close());

const explain = (number: string, country: string | null = null) => explainNumber(world.as("bob"), { number, country });

test("a price is explained by deck, prefix, cost, mark-up and margin, active and scheduled", async () => {
  expect(await explain("020 7946 0958", "GB")).toMatchObject({
    number: LONDON,
    country_name: "United Kingdom",
    number_type: "landline",
    price_class: "A",
    decks: [
      {
        is_scheduled: false,
        is_sold: true,
        verdict: "Sold at this price.",
        row: {
          prefix: "44",
          cost: { per_minute: "0.0200", first_interval_s: 1, next_interval_s: 1 },
          price: { per_minute: "0.0280", first_interval_s: 1, next_interval_s: 1 },
          mark_up: "Cost plus 40 %, rounded up to a tenth of a cent.",
          typical_margin_percent: 28.5,
        },
      },
      { is_scheduled: true, effective_at: NEXT.toISOString(), row: { cost: { per_minute: "0.0300" } } },
    ],
    breakers: [],
    longest_calls: [
      { tier: "unverified", seconds: 3_600 },
      { tier: "new", seconds: 3_600 },
      { tier: "known", seconds: 7_200 },
      { tier: "trusted", seconds: 14_400 },
    ],
  });
});

test("each trunk says whether it carries the number and what remains", async () => {
  const { trunks } = await explain(LONDON);
  expect(trunks.map(({ trunk, text }) => [trunk, text])).toEqual([
    ["cheap", "Carries it: 64.2 % of a typical call's price remain."],
    ["dear", "Does not carry it: calls of some length would earn less than 5 %."],
    ["german", "Does not carry it: its price list has no price for it."],
  ]);
});

test("a closed prefix, a missing price, a breaker and a wrong number each say why no call is sold", async () => {
  const closed = await explain("+447400123456");
  expect(closed.decks[0]).toMatchObject({ row: null, blocked_prefix: "4474", is_sold: false });
  expect(closed.longest_calls.every(({ seconds }) => seconds === null)).toBe(true);
  expect((await explain("+33142685300")).decks[0]).toMatchObject({
    row: null,
    verdict: "Not sold: the deck has no price for it.",
  });
  await sql`insert into breaker (id, kind, subject, inputs, opened_at, until)
    values (gen_random_uuid(), 'country', 'GB', '{}', ${DECK_TIME}, ${NEXT})`.execute(world.database.handle.db);
  expect((await explain(LONDON)).breakers).toEqual([`Calls to United Kingdom are paused until ${NEXT.toISOString()}.`]);
  await expect(explain("020 7946 0958")).rejects.toMatchObject({ code: "country_required" });
});

test("a country's prices over time have a row by type for each deck, and none where it was not sold", async () => {
  const { periods } = await presentHistory(world.as("bob"), "GB");
  expect(periods.map(({ state, name, from, until }) => [state, name, from, until])).toEqual([
    ["scheduled", "carrier.csv", NEXT.toISOString(), null],
    ["active", "carrier.csv", DECK_TIME.toISOString(), NEXT.toISOString()],
    ["past", "Sample rates", "2026-01-01T00:00:00.000Z", DECK_TIME.toISOString()],
  ]);
  expect(periods[1]?.prices.find(({ number_type }) => number_type === "mobile")).toMatchObject({
    cost: { lowest: "0.0500", highest: "0.0500" },
    price: { lowest: "0.0700", highest: "0.0700" },
  });
  expect((await presentHistory(world.as("bob"), "FR")).periods.map(({ prices }) => prices.length > 0)).toEqual([
    false,
    false,
    true,
  ]);
  // The Vatican's numbers are Italy's.
  expect((await presentHistory(world.as("bob"), "VA")).periods.at(-1)?.prices).not.toEqual([]);
});
