import { withValues } from "@farline/domain/business/business-settings.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newCustomer } from "../../test/new-customer.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import { testContext } from "../../test/test-context.ts";
import { DECK_TIME as NOW, DeckWorld } from "../../test/worlds/deck-world.ts";
import { createRates } from "../rates/rates.ts";
import { operate } from "../../test/operate.ts";
import type { OperatorContext } from "../context.ts";

const LATER = new Date("2026-12-01T00:00:00Z");
const WHO = { reason: "New prices" };

let world: DeckWorld;
beforeEach(async () => {
  world = await DeckWorld.start();
});
afterEach(() => world.close());

const ctx = (mode: "sandbox" | "live" = "sandbox") => world.as("grace", mode);
const count = async (table: string) =>
  (await sql<any>`select count(*)::int as n from ${sql.raw(table)}`.execute(world.database.handle.db)).rows[0].n;

const LONDON = "+442079460958";
const UK = "GB,44,United Kingdom,0.02,1,1,,";
const GERMANY = "DE,49172-49174,Germany Mobile,0.05,60,60,,";

describe("import", () => {
  test("a dry run reports the changes and stores nothing", async () => {
    const report = await world.bring([UK, GERMANY, "GH,23324,Ghana Mobile,0.9,1,1,,Decrease"], { dryRun: true });
    expect(report).toMatchObject({ refusals: [], stored: null, activated: null, current: "Sample rates" });
    expect(report.comparison).toMatchObject({ unchanged: 0, withoutMargin: [] });
    expect(report.comparison.added + report.comparison.raised + report.comparison.lowered).toBe(report.built.rows.length);
    expect(report.comparison.gone).toBeGreaterThan(5_700);
    expect(report.comparison.countriesLost).toContain("FR");
    expect(report.comparison.jumps[0]).toBeDefined();
    expect(report.comparison.jumps).toContainEqual(
      expect.objectContaining({ prefix: "23324", after: { cost: 900_000n, sale: 1_260_000n } }),
    );
    expect([await count("deck"), await count("deck_activation"), await count("operation")]).toEqual([1, 1, 0]);
  });

  test("stores a separate deck, which takes effect only once activated, at the exact second", async () => {
    const before = await world.price(LONDON);
    const { stored } = await world.bring([UK]);
    expect(stored).toMatchObject({ name: "carrier.csv", source: "carrier.csv" });
    expect(await world.price(LONDON)).toBe(before);
    const activated = await world.activate(stored?.id.slice(0, 30) ?? "", LATER);
    expect(activated).toMatchObject({ deck: { id: stored?.id }, effectiveAt: LATER, next: null });
    expect(await world.price(LONDON)).toBe(before);
    world.clock.advance(LATER.getTime() - NOW.getTime());
    expect(world.rates.quote(LONDON, "visitor")?.deckId).toBe(stored?.id);
    // The new deck contains nothing of the old one.
    expect(world.rates.quote("+33142685300", "visitor")).toBeNull();
    const { rows } = await sql<any>`select operator, action, subject, reason from operation order by id`.execute(
      world.database.handle.db,
    );
    expect(rows).toEqual([
      { operator: "grace", action: "import-deck", subject: stored?.id, reason: "New prices" },
      { operator: "grace", action: "propose-activate-deck", subject: stored?.id, reason: "New prices" },
      { operator: "ada", action: "activate-deck", subject: stored?.id, reason: "New prices" },
    ]);
  });

  test("stores nothing if a row is bad, unless that line is left out", async () => {
    const rows = [UK, "GB,4477,Mobile,free,1,1,,"];
    const refused = await world.putInForce(rows, { effective: "now" });
    expect(refused).toMatchObject({ stored: null, activated: null });
    expect(refused.file.bad.named).toEqual([{ line: 3, problem: "price_form", text: "GB | 4477 | Mobile | free | 1 | 1 |  | " }]);
    expect([await count("deck"), await count("deck_activation")]).toEqual([1, 1]);
    const stored = await world.putInForce(rows, { effective: "now", skipLines: new Set([3]) });
    expect(stored.activated?.effectiveAt).toEqual(NOW);
    expect(await world.price("+447400123456")).toBe(await world.price(LONDON));
  });

  test("uses each prefix's latest past row and reports later rows", async () => {
    const rows = ["GB,44,UK,0.02,1,1,2026-10-01,", "GB,44,UK,0.03,1,1,2026-11-01,", "GB,44,UK,0.04,1,1,2026-12-01,Increase"];
    const { built, stored } = await world.putInForce(rows, { effective: "now" });
    expect([built.later, built.replaced]).toEqual([{ rows: 1, first: LATER, prefixes: 0 }, 1]);
    expect(world.rates.quote(LONDON, "visitor")?.deckId).not.toBe(stored?.id);
    await world.rates.refresh();
    const { rows: costs } =
      await sql<any>`select distinct cost_per_minute_micros from deck_rate where deck_id = ${stored?.id}`.execute(
        world.database.handle.db,
      );
    expect(costs).toEqual([{ cost_per_minute_micros: 30_000n }]);
  });

  test("derives prices from the current mark-up, also of a list that is imported again", async () => {
    await world.putInForce([UK]);
    expect(await world.price(LONDON)).toBe(28_000n);
    world.settings = { ...world.settings, current: () => withValues(new Map([["mark-up.percent", 50n]])) };
    await world.putInForce([UK]);
    expect(await world.price(LONDON)).toBe(30_000n);
  });

  test("reports contradictory rows and unknown countries as bad", async () => {
    const { file } = await world.bring([
      UK,
      "GB,44,United Kingdom,0.03,1,1,,",
      UK,
      ",999,Nowhere,0.1,1,1,,",
      "GB,45,X,0.1,1,1,03/04/2026,",
    ]);
    expect(file.bad.named.map(({ line, problem }) => [line, problem])).toEqual([
      [3, "prefix_twice"],
      [5, "country_unknown"],
      [6, "date_unclear"],
    ]);
  });

  test("takes missing details from the numbering plans, and keeps types that are never connected", async () => {
    const { stored } = await world.bring([",4474,,0.02,1,1,,", "GB,4490,UK Mobile,0.02,1,1,,", "GB,442,UK Proper,0.02,1,1,,"]);
    const { rows } =
      await sql<any>`select prefix, country_code, number_type, description <> '' as named from deck_rate where deck_id = ${stored?.id} order by prefix`.execute(
        world.database.handle.db,
      );
    expect(rows).toEqual([
      { prefix: "442", country_code: "GB", number_type: "landline", named: true },
      { prefix: "4474", country_code: "GB", number_type: "mobile", named: true },
      { prefix: "4490", country_code: "GB", number_type: "premium", named: true },
    ]);
  });

  test("refuses a list that lacks most prefixes unless it is declared complete", async () => {
    const report = await world.putInForce([UK], { effective: "now", complete: false });
    expect(report.stored).toBeNull();
    expect(report.refusals).toMatchObject([{ kind: "incomplete" }]);
  });

  test("recognises a deck with the same prices in a different file", async () => {
    const { stored } = await world.bring([UK, GERMANY]);
    const again = await world.bring([GERMANY, UK]);
    expect(again).toMatchObject({ stored: null, same: { id: stored?.id }, refusals: [{ kind: "known_prices" }] });
  });

  test("reports removed prefixes with their recent calls and what those would cost", async () => {
    await world.putInForce(["GB,44,United Kingdom,0.05,1,1,,", GERMANY], { effective: "now" });
    const { id } = await newCustomer(world.database.handle);
    const call = { customerId: id, createdAt: NOW, durationMs: 119_500 };
    await insertPastCalls(world.database.handle.db, [
      call,
      { ...call, status: "failed" },
      { ...call, createdAt: new Date("2026-09-30") },
    ]);
    const raised = await world.bring(["GB,4,Four,0.2,60,60,,", GERMANY], { dryRun: true });
    const change = { prefix: "44", description: "United Kingdom", before: { cost: 50_000n, sale: 70_000n }, calls: 1 };
    // A row with fewer digits than a country code prices only the country that it names.
    expect(raised.comparison.removedInUse).toEqual([]);
    expect(raised.comparison.traffic).toMatchObject({
      calls: 1,
      lost: 0,
      before: { costMicros: 100_000n },
      after: { costMicros: 400_000n },
    });
    const lost = await world.bring([GERMANY], { dryRun: true });
    expect(lost.comparison.removedInUse).toEqual([{ ...change, after: null }]);
    expect(lost.comparison).toMatchObject({ traffic: { calls: 1, lost: 1 }, countriesLost: ["GB"] });
  });
});

describe("activate and roll back", () => {
  const names = async (trunk: string | null, steps: number) => {
    const found: string[] = [];
    for (let step = 0; step < steps; step += 1) {
      world.clock.advance(1_000);
      found.push((await world.rollBack(trunk)).deck.name);
    }
    return found;
  };
  const bringThree = async (trunk: string | null) => {
    for (const [name, rate] of [
      ["A", "0.02"],
      ["B", "0.021"],
      ["C", "0.022"],
    ] as const) {
      await world.putInForce([UK.replace("0.02", rate)], { effective: "now", name, trunk });
      world.clock.advance(1_000);
    }
  };

  test("roll-backs go further back each time, for what customers pay and for each trunk, until nothing is earlier", async () => {
    const sample = await world.price(LONDON);
    await bringThree(null);
    await bringThree("main");
    expect(await names(null, 3)).toEqual(["B", "A", "Sample rates"]);
    expect(await world.price(LONDON)).toBe(sample);
    await expect(world.rollBack(null)).rejects.toThrow("none to go back to");
    expect(await names("main", 2)).toEqual(["B", "A"]);
    await expect(world.rollBack("main")).rejects.toThrow("none to go back to");
    expect([await count("deck"), await count("deck_activation")]).toEqual([7, 12]);
  });

  test("what was activated after a roll-back is left for the deck before it, not for the one rolled back from", async () => {
    await bringThree(null);
    expect(await names(null, 1)).toEqual(["B"]);
    await world.putInForce([UK.replace("0.02", "0.023")], { effective: "now", name: "D" });
    expect(await names(null, 2)).toEqual(["B", "A"]);
    const { rows } = await sql<any>`select id from deck where name = 'C'`.execute(world.database.handle.db);
    await world.activate(rows[0].id, null);
    expect(await names(null, 1)).toEqual(["A"]);
  });

  test("a deck that was activated twice is left for the deck before it", async () => {
    await bringThree(null);
    const { rows } = await sql<any>`select id from deck where name = 'C'`.execute(world.database.handle.db);
    world.clock.advance(1_000);
    await world.activate(rows[0].id, null);
    expect(await names(null, 1)).toEqual(["B"]);
  });

  test("two operators who roll back at once go one step back; a stale request names what is active", async () => {
    await bringThree(null);
    const { db } = world.database.handle;
    const { rows } = await sql<any>`select name, id from deck`.execute(db);
    const id = (name: string) => rows.find((row) => row.name === name).id;
    const order = { kind: "sale", from: id("C"), to: id("B"), reason: "A mistake" } as const;
    const rollBack = (by: OperatorContext, change: object = {}) => operate(by, "roll-back-deck", { ...order, ...change });
    const both = await Promise.allSettled([rollBack(ctx()), rollBack(world.as("ada"))]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(rollBack(ctx(), { from: id("B"), to: id("C") })).rejects.toThrow(
      /Nothing has changed\. B is active since .*, and A was active before it/,
    );
    await expect(rollBack(ctx(), { from: id("C"), to: id("A") })).rejects.toThrow("Nothing has changed");
    await expect(rollBack(ctx(), { from: id("B"), to: id("C") })).rejects.toThrow("Nothing has changed");
    await expect(rollBack(ctx(), { kind: "trunk", trunk: "main" })).rejects.toThrow("none to go back to");
    expect((await world.rollBack(null)).deck.name).toBe("A");
  });

  test("an activation reports a scheduled deck, and activating the current one for the same second supersedes it", async () => {
    const { stored } = await world.putInForce([UK], { effective: LATER });
    const back = await world.activate(await sampleId(), null);
    expect(back.next).toMatchObject({ id: stored?.id, effectiveAt: LATER });
    world.clock.advance(1);
    await world.activate(back.deck.id, LATER);
    world.clock.advance(LATER.getTime() - NOW.getTime());
    await world.rates.refresh();
    expect(world.rates.quote(LONDON, "visitor")?.deckId).toBe(back.deck.id);
  });

  test("an unknown deck, a past time, and the sample deck in live mode are refused", async () => {
    const order = { ...WHO, deck: await sampleId(), at: null };
    await expect(operate(ctx(), "activate-deck", { ...order, deck: "ffffffff" })).rejects.toThrow("There is no deck ffffffff.");
    await expect(operate(ctx(), "activate-deck", { ...order, deck: "" })).rejects.toThrow("There is no deck");
    await expect(operate(ctx(), "activate-deck", { ...order, at: new Date(NOW.getTime() - 1).toISOString() })).rejects.toThrow(
      "has passed",
    );
    await expect(operate(ctx("live"), "activate-deck", order)).rejects.toThrow("The sample deck cannot be used in live mode");
    await expect(world.rollBack(null)).rejects.toThrow("none to go back to");
    await world.putInForce([UK]);
    world.clock.advance(1_000);
    // Only the sample deck was active before.
    await expect(world.rollBack(null, "live")).rejects.toThrow("none to go back to");
    expect(await count("deck_activation")).toBe(2);
  });
});

describe("a trunk's deck", () => {
  const ofMain = { trunk: "main", effective: "now" } as const;
  const costs = (number: string) => world.rates.trunkCosts(number);
  const rate = (ratePerMinuteMicros: bigint, firstIntervalSeconds: number, nextIntervalSeconds: number) => ({
    ratePerMinuteMicros,
    firstIntervalSeconds,
    nextIntervalSeconds,
  });

  test("contains the trunk's costs by longest prefix and does not affect selling prices", async () => {
    const sold = await world.price(LONDON);
    await world.putInForce([UK, GERMANY, "GB,442079,London,0.007,60,6,,"], ofMain);
    await world.putInForce([GERMANY], { ...ofMain, trunk: "spare" });
    expect(await world.price(LONDON)).toBe(sold);
    const all = (main: unknown, spare: unknown) => [
      { trunk: "main", cost: main },
      { trunk: "spare", cost: spare },
    ];
    expect(await costs(LONDON)).toEqual(all(rate(7_000n, 60, 6), null));
    expect(await costs("+442089460958")).toEqual(all(rate(20_000n, 1, 1), null));
    // Guernsey shares the UK's calling code, and this trunk has no price for it.
    expect(await costs("+447781123456")).toEqual(all(null, null));
    expect(await costs("+491731234567")).toEqual(all(rate(50_000n, 60, 60), rate(50_000n, 60, 60)));
  });

  test("is activated and rolled back independently of other trunks and the selling deck", async () => {
    await world.putInForce([UK], ofMain);
    await world.putInForce([GERMANY], { ...ofMain, trunk: "spare" });
    const { activated } = await world.putInForce(["GB,44,United Kingdom,0.01,1,1,,"], { ...ofMain, effective: LATER });
    expect(activated).toMatchObject({ effectiveAt: LATER, next: null });
    const main = async () => (await costs(LONDON))[0]?.cost?.ratePerMinuteMicros;
    expect(await main()).toBe(20_000n);
    world.clock.advance(LATER.getTime() - NOW.getTime());
    expect(await main()).toBe(10_000n);
    await expect(world.rollBack(null)).rejects.toThrow("none to go back to");
    await expect(world.rollBack("spare")).rejects.toThrow("none to go back to");
    await world.rollBack("main");
    expect(await main()).toBe(20_000n);
  });

  test("is compared with the trunk's own deck and with the selling prices", async () => {
    const first = await world.putInForce([UK], ofMain);
    expect(first).toMatchObject({ trunk: "main", current: null, comparison: { withoutMargin: expect.arrayContaining(["44"]) } });
    const cheap = await world.bring(["GB,44,United Kingdom,0.001,1,1,,"], { ...ofMain, dryRun: true });
    expect(cheap).toMatchObject({ current: "carrier.csv", comparison: { added: 0, raised: 0, withoutMargin: [] } });
    const again = await world.putInForce([UK], ofMain);
    expect(again).toMatchObject({ same: { id: first.stored?.id }, refusals: [{ kind: "known_prices" }] });
    expect((await world.putInForce([UK], { ...ofMain, trunk: "spare" })).refusals).toEqual([]);
  });

  test("does not prevent a sandbox from loading the sample deck", async () => {
    await sql`delete from deck_activation`.execute(world.database.handle.db);
    await sql`delete from deck`.execute(world.database.handle.db);
    await world.putInForce([UK], ofMain);
    const started = await createRates(testContext({ handle: world.database.handle, clock: world.clock }));
    started.close();
    expect(started.quote("+33142685300", "visitor")).not.toBeNull();
  });
});

const sampleId = async () =>
  (await sql<any>`select id from deck where name = 'Sample rates'`.execute(world.database.handle.db)).rows[0].id as string;
