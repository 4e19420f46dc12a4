import { sql } from "kysely";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newCustomer } from "../../test/new-customer.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { ManualClock } from "../platform/clock.ts";
import { createRates, type Rates } from "../rates/rates.ts";
import { activateDeck, cancelDeck, importDeck, rollBackDeck, type ImportOrder } from "./decks.ts";
import { asOperator, testContext } from "../../test/test-context.ts";

const NOW = new Date("2026-11-01T12:00:00Z");
const LATER = new Date("2026-12-01T00:00:00Z");
const WHO = { reason: "New prices", confirmed: null };
const HEADER = "ISO,Prefix,Destination,Rate,Interval 1,Interval N,Effective,Change";

let folder: string;
let database: TestDatabase;
let clock: ManualClock;
let rates: Rates;
beforeEach(async () => {
  [folder, database] = await Promise.all([mkdtemp(join(tmpdir(), "decks-")), testDatabase()]);
  clock = new ManualClock(NOW);
  rates = await createRates(testContext({ handle: database.handle, clock }));
});
afterEach(async () => {
  rates.close();
  await Promise.all([rm(folder, { recursive: true }), database.close()]);
});

const ctx = (mode: "sandbox" | "live" = "sandbox") =>
  asOperator(testContext({ handle: database.handle, clock, config: { mode } }), "grace");

async function bring(rows: readonly string[], order: Partial<ImportOrder> = {}, mode: "sandbox" | "live" = "sandbox") {
  const path = join(folder, "carrier.csv");
  await writeFile(path, [HEADER, ...rows].join("\n"));
  const settings = {
    path,
    trunk: null,
    name: null,
    effective: null,
    increments: null,
    dates: null,
    skipLines: new Set<number>(),
    ignoreColumns: [],
  };
  return importDeck(ctx(mode), { ...WHO, ...settings, complete: true, dryRun: false, ...order });
}

const count = async (table: string) =>
  (await sql<any>`select count(*)::int as n from ${sql.raw(table)}`.execute(database.handle.db)).rows[0].n;
const price = async (number: string) => {
  await rates.refresh();
  return rates.quote(number)?.ratePerMinuteMicros ?? null;
};

const LONDON = "+442079460958";
const UK = "GB,44,United Kingdom,0.02,1,1,,";
const GERMANY = "DE,49172-49174,Germany Mobile,0.05,60,60,,";

describe("import", () => {
  test("a dry run reports the changes and stores nothing", async () => {
    const report = await bring([UK, GERMANY, "GH,23324,Ghana Mobile,0.9,1,1,,Decrease"], { dryRun: true });
    expect(report).toMatchObject({ refusals: [], stored: null, activated: null, current: "Sample rates" });
    expect(report.comparison).toMatchObject({ unchanged: 0, withoutMargin: [] });
    expect(report.comparison.added + report.comparison.raised + report.comparison.lowered).toBe(report.built.rows.length);
    expect(report.comparison.gone).toBeGreaterThan(5_700);
    expect(report.comparison.countriesLost).toContain("FR");
    expect(report.comparison.jumps[0]).toBeDefined();
    expect(report.comparison.jumps).toContainEqual(expect.objectContaining({ prefix: "23324", after: 900_000n }));
    expect([await count("deck"), await count("deck_activation"), await count("operation")]).toEqual([1, 1, 0]);
  });

  test("stores a separate deck, which takes effect only once activated, at the exact second", async () => {
    const before = await price(LONDON);
    const { stored } = await bring([UK]);
    expect(stored).toMatchObject({ name: "carrier.csv", source: "carrier.csv" });
    expect(await price(LONDON)).toBe(before);
    const activated = await activateDeck(ctx(), { ...WHO, deck: stored?.id.slice(0, 30) ?? "", at: LATER });
    expect(activated).toMatchObject({ deck: { id: stored?.id }, effectiveAt: LATER, next: null });
    expect(await price(LONDON)).toBe(before);
    clock.advance(LATER.getTime() - NOW.getTime());
    expect(rates.quote(LONDON)?.deckId).toBe(stored?.id);
    // The new deck contains nothing of the old one.
    expect(rates.quote("+33142685300")).toBeNull();
    const { rows } = await sql<any>`select operator, action, subject, reason from operation order by id`.execute(
      database.handle.db,
    );
    expect(rows).toEqual([
      { operator: "grace", action: "import-deck", subject: stored?.id, reason: "New prices" },
      { operator: "grace", action: "activate-deck", subject: stored?.id, reason: "New prices" },
    ]);
  });

  test("stores nothing if a row is bad, unless that line is left out", async () => {
    const rows = [UK, "GB,4477,Mobile,free,1,1,,"];
    const refused = await bring(rows, { effective: "now" });
    expect(refused).toMatchObject({ stored: null, activated: null });
    expect(refused.file.bad.named).toEqual([{ line: 3, problem: "price_form", text: "GB | 4477 | Mobile | free | 1 | 1 |  | " }]);
    expect([await count("deck"), await count("deck_activation")]).toEqual([1, 1]);
    const stored = await bring(rows, { effective: "now", skipLines: new Set([3]) });
    expect(stored.activated?.effectiveAt).toEqual(NOW);
    expect(await price("+447400123456")).toBe(await price(LONDON));
  });

  test("uses each prefix's latest past row and reports later rows", async () => {
    const rows = ["GB,44,UK,0.02,1,1,2026-10-01,", "GB,44,UK,0.03,1,1,2026-11-01,", "GB,44,UK,0.04,1,1,2026-12-01,Increase"];
    const { built, stored } = await bring(rows, { effective: "now" });
    expect([built.later, built.replaced]).toEqual([{ rows: 1, first: LATER, prefixes: 0 }, 1]);
    expect(rates.quote(LONDON)?.deckId).not.toBe(stored?.id);
    await rates.refresh();
    const { rows: costs } =
      await sql<any>`select distinct cost_per_minute_micros from deck_rate where deck_id = ${stored?.id}`.execute(
        database.handle.db,
      );
    expect(costs).toEqual([{ cost_per_minute_micros: 30_000n }]);
  });

  test("reports contradictory rows and unknown countries as bad", async () => {
    const { file } = await bring([
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
    const { stored } = await bring([",4474,,0.02,1,1,,", "GB,4490,UK Mobile,0.02,1,1,,", "GB,442,UK Proper,0.02,1,1,,"]);
    const { rows } =
      await sql<any>`select prefix, country_code, number_type, description <> '' as named from deck_rate where deck_id = ${stored?.id} order by prefix`.execute(
        database.handle.db,
      );
    expect(rows).toEqual([
      { prefix: "442", country_code: "GB", number_type: "landline", named: true },
      { prefix: "4474", country_code: "GB", number_type: "mobile", named: true },
      { prefix: "4490", country_code: "GB", number_type: "premium", named: true },
    ]);
  });

  test("refuses a list that lacks most prefixes unless it is declared complete", async () => {
    const report = await bring([UK], { effective: "now", complete: false });
    expect(report.stored).toBeNull();
    expect(report.refusals).toEqual([
      "More than half of the prefixes in force are missing from the file. If the list is complete, pass --complete.",
    ]);
  });

  test("recognises a deck with the same prices in a different file", async () => {
    const { stored } = await bring([UK, GERMANY]);
    const again = await bring([GERMANY, UK]);
    expect(again).toMatchObject({ stored: null, refusals: [`Deck ${stored?.id} has the same prices. Activate that one.`] });
  });

  test("reports removed prefixes with their recent calls and what those would cost", async () => {
    await bring(["GB,44,United Kingdom,0.05,1,1,,", GERMANY], { effective: "now" });
    const { id } = await newCustomer(database.handle);
    const call = { customerId: id, createdAt: NOW, durationMs: 119_500 };
    await insertPastCalls(database.handle.db, [
      call,
      { ...call, status: "failed" },
      { ...call, createdAt: new Date("2026-09-30") },
    ]);
    const raised = await bring(["GB,4,Four,0.2,60,60,,", GERMANY], { dryRun: true });
    const change = { prefix: "44", description: "United Kingdom", before: 50_000n, calls: 1 };
    // A row with fewer digits than a country code prices only the country that it names.
    expect(raised.comparison.removedInUse).toEqual([]);
    expect(raised.comparison.traffic).toMatchObject({
      calls: 1,
      unserved: 0,
      before: { costMicros: 100_000n },
      after: { costMicros: 400_000n },
    });
    const lost = await bring([GERMANY], { dryRun: true });
    expect(lost.comparison.removedInUse).toEqual([{ ...change, after: null }]);
    expect(lost.comparison).toMatchObject({ traffic: { calls: 1, unserved: 1 }, countriesLost: ["GB"] });
  });
});

describe("activate and roll back", () => {
  test("a roll-back is another activation, and a second one goes forward again", async () => {
    const sample = await price(LONDON);
    await bring([UK], { effective: "now" });
    const mine = await price(LONDON);
    expect(mine).not.toBe(sample);
    clock.advance(1_000);
    expect((await rollBackDeck(ctx(), { ...WHO, trunk: null })).deck.name).toBe("Sample rates");
    expect(await price(LONDON)).toBe(sample);
    clock.advance(1_000);
    expect((await rollBackDeck(ctx(), { ...WHO, trunk: null })).deck.name).toBe("carrier.csv");
    expect(await price(LONDON)).toBe(mine);
    expect([await count("deck"), await count("deck_activation")]).toEqual([2, 4]);
  });

  test("an activation reports a scheduled deck, and activating the current one for the same second supersedes it", async () => {
    const { stored } = await bring([UK], { effective: LATER });
    const back = await activateDeck(ctx(), { ...WHO, deck: await sampleId(), at: null });
    expect(back.next).toMatchObject({ id: stored?.id, effectiveAt: LATER });
    clock.advance(1);
    await activateDeck(ctx(), { ...WHO, deck: back.deck.id, at: LATER });
    clock.advance(LATER.getTime() - NOW.getTime());
    await rates.refresh();
    expect(rates.quote(LONDON)?.deckId).toBe(back.deck.id);
  });

  test("an unknown deck, a past time, and the sample deck in live mode are refused", async () => {
    const order = { ...WHO, deck: await sampleId(), at: null };
    await expect(activateDeck(ctx(), { ...order, deck: "ffffffff" })).rejects.toThrow("There is no deck ffffffff.");
    await expect(activateDeck(ctx(), { ...order, deck: "" })).rejects.toThrow("There is no deck");
    await expect(activateDeck(ctx(), { ...order, at: new Date(NOW.getTime() - 1) })).rejects.toThrow("has passed");
    await expect(activateDeck(ctx("live"), order)).rejects.toThrow("The sample deck cannot be used in live mode");
    await expect(rollBackDeck(ctx(), { ...WHO, trunk: null })).rejects.toThrow("none to go back to");
    await bring([UK], { effective: "now" }, "live");
    clock.advance(5 * 60 * 1000);
    await expect(rollBackDeck(ctx("live"), { ...WHO, trunk: null })).rejects.toThrow("none to go back to");
    expect(await count("deck_activation")).toBe(2);
  });
});

describe("the price guard of a live service", () => {
  const list = (rate: string, prefixes: readonly number[] = [440, 441, 442, 443, 447]) =>
    prefixes.map((prefix) => `GB,${prefix},United Kingdom,${rate},1,1,,`);
  const later = () => clock.advance(10 * 60 * 1000);
  /** Puts a first list in force at 5 cents a minute. */
  const begin = async () => {
    await bring(list("0.05"), { effective: "now" }, "live");
    later();
  };

  test("refuses a list at a hundredth of the prices until its number of jumps is confirmed", async () => {
    await begin();
    const cheap = list("0.0005");
    const refused = await bring(cheap, { effective: "now" }, "live");
    const jumps = refused.comparison.jumps.length;
    expect(jumps).toBe(refused.comparison.compared);
    expect(refused.comparison.medianRatio).toBe(10);
    expect(refused.stored).toBeNull();
    expect(refused.refusals).toEqual([
      `${jumps} of ${jumps} prices change by more than half. The median price is 0.01 times the current one. If that is correct, pass --confirm-prices ${jumps}.`,
    ]);
    for (const confirmed of [jumps - 1, jumps + 1])
      expect((await bring(cheap, { effective: "now", confirmed }, "live")).refusals[0]).toContain(
        `The number is not ${confirmed}.`,
      );
    expect((await bring(cheap, { effective: "now", confirmed: jumps }, "live")).activated).not.toBeNull();
  });

  test("also checks a list that was stored earlier", async () => {
    await begin();
    const { stored } = await bring(list("0.0005"), {}, "live");
    const order = { ...WHO, deck: stored?.id ?? "", at: null };
    await expect(activateDeck(ctx("live"), order)).rejects.toThrow("--confirm-prices");
    const { comparison } = await bring(list("0.0006"), { dryRun: true }, "live");
    expect(await activateDeck(ctx("live"), { ...order, confirmed: comparison.jumps.length })).toMatchObject({ next: null });
  });

  test("detects jumps in a list with differently divided prefixes", async () => {
    await begin();
    const finer = list("0.0005", [4420, 4421, 4422, 4423, 4424, 4425, 4426, 4427, 4428, 4429]);
    const { refusals } = await bring([...list("0.05", [440, 441, 443, 447]), ...finer], { effective: "now" }, "live");
    expect(refusals).toEqual([expect.stringContaining("prices change by more than half.")]);
  });

  test("allows ordinary changes, and any change in sandbox mode", async () => {
    await begin();
    expect((await bring(list("0.06"), { effective: "now" }, "live")).refusals).toEqual([]);
    expect((await bring(list("0.0005"), { effective: "now" }, "sandbox")).refusals).toEqual([]);
  });

  test("refuses a list without a price for a recently called country", async () => {
    await bring([...list("0.05"), GERMANY], { effective: "now" }, "live");
    later();
    const { id } = await newCustomer(database.handle);
    await insertPastCalls(database.handle.db, [{ customerId: id, createdAt: NOW, durationMs: 60_000 }]);
    const { refusals } = await bring([GERMANY], { effective: "now" }, "live");
    expect(refusals).toEqual([expect.stringContaining("lose their price: GB.")]);
  });

  test("activates a list five minutes later at the earliest, so that it can be cancelled", async () => {
    await begin();
    const { stored, activated } = await bring(list("0.06"), { effective: "now" }, "live");
    expect(activated?.effectiveAt.getTime()).toBe(clock.now().getTime() + 5 * 60 * 1000);
    const live = await createRates(ctx("live"));
    const deckOf = async () => {
      await live.refresh();
      return live.quote(LONDON)?.deckId;
    };
    try {
      const before = await deckOf();
      expect(await cancelDeck(ctx("live"), { ...WHO, deck: stored?.id ?? "" })).toEqual([activated?.effectiveAt]);
      later();
      expect(await deckOf()).toBe(before);
      await expect(cancelDeck(ctx("live"), { ...WHO, deck: stored?.id ?? "" })).rejects.toThrow("decks roll-back");
      await activateDeck(ctx("live"), { ...WHO, deck: stored?.id ?? "", at: null });
      expect(await deckOf()).toBe(before);
      later();
      expect(await deckOf()).toBe(stored?.id);
      // A roll-back is for emergencies, so it takes effect immediately.
      await rollBackDeck(ctx("live"), { ...WHO, trunk: null });
      expect(await deckOf()).toBe(before);
    } finally {
      live.close();
    }
  });

  test("reports what the calls of the last 30 days would cost more and less", async () => {
    await begin();
    const { id } = await newCustomer(database.handle);
    await insertPastCalls(database.handle.db, [{ customerId: id, createdAt: NOW, durationMs: 60_000 }]);
    const { comparison } = await bring(list("0.1"), { dryRun: true }, "live");
    expect(comparison.traffic.increaseMicros).toBeGreaterThan(0n);
    expect(comparison.traffic.decreaseMicros).toBe(0n);
  });
});

describe("a trunk's deck", () => {
  const ofMain = { trunk: "main", effective: "now" } as const;
  const costs = (number: string) => rates.trunkCosts(number);
  const rate = (ratePerMinuteMicros: bigint, firstIntervalSeconds: number, nextIntervalSeconds: number) => ({
    ratePerMinuteMicros,
    firstIntervalSeconds,
    nextIntervalSeconds,
  });

  test("contains the trunk's costs by longest prefix and does not affect selling prices", async () => {
    const sold = await price(LONDON);
    await bring([UK, GERMANY, "GB,442079,London,0.007,60,6,,"], ofMain);
    await bring([GERMANY], { ...ofMain, trunk: "spare" });
    expect(await price(LONDON)).toBe(sold);
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
    await bring([UK], ofMain);
    await bring([GERMANY], { ...ofMain, trunk: "spare" });
    const { activated } = await bring(["GB,44,United Kingdom,0.01,1,1,,"], { ...ofMain, effective: LATER });
    expect(activated).toMatchObject({ effectiveAt: LATER, next: null });
    const main = async () => (await costs(LONDON))[0]?.cost?.ratePerMinuteMicros;
    expect(await main()).toBe(20_000n);
    clock.advance(LATER.getTime() - NOW.getTime());
    expect(await main()).toBe(10_000n);
    await expect(rollBackDeck(ctx(), { ...WHO, trunk: null })).rejects.toThrow("none to go back to");
    await expect(rollBackDeck(ctx(), { ...WHO, trunk: "spare" })).rejects.toThrow("none to go back to");
    await rollBackDeck(ctx(), { ...WHO, trunk: "main" });
    expect(await main()).toBe(20_000n);
  });

  test("is compared with the trunk's own deck and with the selling prices", async () => {
    const first = await bring([UK], ofMain);
    expect(first).toMatchObject({ trunk: "main", current: null, comparison: { withoutMargin: expect.arrayContaining(["44"]) } });
    const cheap = await bring(["GB,44,United Kingdom,0.001,1,1,,"], { ...ofMain, dryRun: true });
    expect(cheap).toMatchObject({ current: "carrier.csv", comparison: { added: 0, raised: 0, withoutMargin: [] } });
    const again = await bring([UK], ofMain);
    expect(again.refusals).toEqual([`Deck ${first.stored?.id} has the same prices. Activate that one.`]);
    expect((await bring([UK], { ...ofMain, trunk: "spare" })).refusals).toEqual([]);
  });

  test("does not prevent a sandbox from loading the sample deck", async () => {
    await sql`delete from deck_activation`.execute(database.handle.db);
    await sql`delete from deck`.execute(database.handle.db);
    await bring([UK], ofMain);
    const started = await createRates(testContext({ handle: database.handle, clock }));
    started.close();
    expect(started.quote("+33142685300")).not.toBeNull();
  });
});

const sampleId = async () =>
  (await sql<any>`select id from deck where name = 'Sample rates'`.execute(database.handle.db)).rows[0].id as string;
