import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newCustomer } from "../../test/new-customer.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import { DECK_TIME, DeckWorld } from "../../test/worlds/deck-world.ts";
import { importDeck } from "./decks.ts";
import { exampleText, understoodLines } from "./report/describe-understood.ts";
import { presentReport } from "./report/present-report.ts";

const UK = "GB,44,United Kingdom,0.02,1,1,,";
const GERMANY = "DE,49172-49174,Germany Mobile,0.05,60,60,,";
const HEADER = "ISO,Prefix,Destination,Rate,Interval 1,Interval N,Effective,Change";

let world: DeckWorld;
beforeEach(async () => {
  world = await DeckWorld.start();
});
afterEach(() => world.close());

const look = (rows: readonly string[], order: Parameters<DeckWorld["bring"]>[1] = {}) =>
  world.bring(rows, { ...order, dryRun: true });
const kinds = ({ refusals }: { refusals: readonly { kind: string }[] }) => refusals.map(({ kind }) => kind);

describe("the kind of list", () => {
  test("a trunk that no deck was stored for is asked for again, with the names of those that have one", async () => {
    await world.putInForce([UK], { trunk: "acme" });
    const unknown = await look([GERMANY], { trunk: "acmee", newTrunk: null });
    expect(unknown.refusals).toEqual([
      {
        kind: "unknown_trunk",
        text: 'No price list of trunk "acmee" was stored before. Trunks with price lists: acme. If it is a new one, write its name again.',
      },
    ]);
    expect(kinds(await look([GERMANY], { trunk: "acmee", newTrunk: "acme" }))).toEqual(["unknown_trunk"]);
    expect(kinds(await look([GERMANY], { trunk: "acmee", newTrunk: "acmee" }))).toEqual([]);
    expect(kinds(await look([GERMANY], { trunk: "acme", newTrunk: null }))).toEqual([]);
  });

  test("is asked for when the list's own words contradict it", async () => {
    await world.putInForce([UK], { trunk: "acme", name: "November" });
    const doubtful = async (order: Parameters<typeof look>[1], header = HEADER) => {
      const report = await world.bringFile([header, GERMANY], { ...order, dryRun: true });
      return report.refusals.find(({ kind }) => kind === "kind_doubtful")?.text ?? null;
    };
    expect(await doubtful({ source: "ACME_2026-12.csv" })).toBe(
      'This may be a list of another kind: its name contains that of trunk "acme".',
    );
    expect(await doubtful({ source: "acme.csv", trunk: "spare" })).toContain('trunk "acme"');
    expect(await doubtful({ source: "acme.csv", trunk: "acme" })).toBeNull();
    expect(await doubtful({ name: "Retail December", trunk: "acme" })).toContain(
      '"Retail December" sounds like prices for customers',
    );
    expect(await doubtful({}, HEADER.replace("Destination", "Trunk name"))).toContain("sounds like the costs of a trunk");
    expect(await doubtful({ source: "acme.csv", kindSure: true })).toBeNull();
    // The carrier's list is what is sold by, too: said once.
    await world.putInForce([UK], { name: "acme November", kindSure: true });
    expect(await doubtful({ source: "acme.csv" })).toBeNull();
  });

  test("the database takes no trunk without a name", async () => {
    const insert = (trunk: string) =>
      sql`insert into deck (id, name, source, created_at, trunk) values (gen_random_uuid(), 'x', 'x', now(), ${trunk})`.execute(
        world.database.handle.db,
      );
    await expect(insert("")).rejects.toThrow("deck_trunk_check");
    await expect(insert("  ")).rejects.toThrow("deck_trunk_named");
  });
});

describe("what is understood is said before it is stored", () => {
  test("kind, currency and unit, increments, validity, and three calls", async () => {
    const { id: customerId } = await newCustomer(world.database.handle);
    await insertPastCalls(world.database.handle.db, [{ customerId, createdAt: DECK_TIME, durationMs: 60_000 }]);
    const later = "FR,33,France,0.01,1,1,2026-12-01,";
    const report = await look([UK, GERMANY, "CU,53,Cuba,0.76,1,1,,", "US,1202,USA,0.004,6,6,,", later], { effective: "now" });
    const [kind, unit, increments, customers, start, validity] = understoodLines(report);
    expect([kind, unit]).toEqual([
      "Prices that customers pay: the carrier's prices in the file plus our mark-up.",
      'Prices in the file: US dollars per minute ("Rate").',
    ]);
    expect(increments).toMatch(
      /^The carrier charges per second \([\d,]+ prefixes\); in blocks of 60 s \(\d+ prefixes\); .*blocks of 6 s \(\d+ prefix/,
    );
    expect(customers).toMatch(/^Customers are charged per second \(/);
    expect(start).toBe("Active as soon as it is stored; in a live service five minutes later.");
    expect(validity).toMatch(/1 row in the file begins later, the first on 2026-12-01T00:00:00.000Z, and is not in this deck\.$/);
    expect(report.examples.map(exampleText)).toEqual([
      expect.stringMatching(
        /^Called most: 90 seconds to \+44\d*… United Kingdom cost us \$0\.0300 \(\$0\.0200 a minute\), the customer pays \$0\.0420\.$/,
      ),
      expect.stringMatching(/^Cheapest: 90 seconds to \+1202… USA cost us \$0\.0060 .*, the customer pays \$0\.0\d+\.$/),
      expect.stringMatching(/^Most expensive: 90 seconds to \+53… Cuba cost us \$1\.1400 /),
    ]);
  });

  test("a trunk's list says whose costs it has, and what customers pay by the active deck", async () => {
    const { understood } = presentReport(
      await look([GERMANY, "XX,99999,Nowhere,0.1,1,1,,"], { trunk: "acme", skipLines: new Set([3]) }),
      20,
    );
    expect(understood).toMatchObject({ kind: "trunk", trunk: "acme" });
    expect(understood.lines[0]).toBe('Costs of trunk "acme": what calls over it cost us. Customers\' prices do not change.');
    expect(understood.lines[2]).toBe("The carrier charges in blocks of 60 s.");
    expect(understood.examples[0]).toMatchObject({
      chosen: "most_numbers",
      seconds: 90,
      cost: "0.1000",
      sale: expect.stringMatching(/^0\./),
    });
  });

  test("a list is stored only as it was shown: not by another active deck, or at another mark-up", async () => {
    const seen = await look([UK], { effective: "now" });
    expect(seen.stored).toBeNull();
    await world.putInForce([GERMANY]);
    const again = await look([UK], { effective: "now" });
    expect(again.preview).not.toBe(seen.preview);
    expect((await look([UK], { effective: "now" })).preview).toBe(again.preview);
  });

  test("one preview stores one deck, however often it is sent", async () => {
    const { preview, stored } = await world.bring([UK]);
    const again = await importDeck(world.as("grace"), { ...world.order(), preview });
    expect(again).toMatchObject({ preview, stored: null, same: { id: stored?.id }, refusals: [{ kind: "known_prices" }] });
  });

  test.each<[string, Parameters<typeof look>[1]]>([
    ["kind", { trunk: "acme" }],
    ["name", { name: "Another" }],
    ["file name", { source: "another.csv" }],
    ["start", { effective: new Date("2030-01-01") }],
    ["start, which is left out", { effective: null }],
    ["increments", { increments: { firstIntervalSeconds: 60, nextIntervalSeconds: 60 } }],
    ["dates", { dates: "dmy" }],
    ["lines that are left out", { skipLines: new Set([2]) }],
    ["words that are left out", { skipWords: new Set(["price_form=closed"]) }],
    ["columns", { columns: new Map([["change", null]]) }],
    ["word that the list is complete", { complete: false }],
    ["word that the kind is right", { kindSure: true }],
  ])("another %s is another preview", async (_what, change) => {
    const order = { effective: "now" } as const;
    const seen = await look([UK], order);
    expect((await look([UK], { ...order, ...change })).preview).not.toBe(seen.preview);
    const changed = await importDeck(world.as("grace"), { ...world.order(), ...order, ...change, preview: seen.preview });
    expect(changed.stored).toBeNull();
    expect(kinds(changed)).toContain("preview_differs");
  });
});

describe("rows that are left out by their word", () => {
  test("any number of them, named with their count; their prefixes are not sold, and the record keeps the words", async () => {
    const unpriced = Array.from({ length: 1_204 }, (_, at) => `GB,44${String(7_400_000 + at)},Mobile,See letter,1,1,,`);
    const rows = [UK, ...unpriced, "GB,4420,London,tbc,1,1,,", "DE,49,Germany,0.03,1,1,TBA,"];
    const refused = await look(rows);
    expect(kinds(refused)).toEqual(["bad_rows"]);
    const words = presentReport(refused, 20).bad_rows.flatMap((kind) => kind.words.map(({ text }) => text));
    expect(words).toEqual(['1,204 rows whose price is "see letter"', '1 row whose price is "tbc"', '1 row whose date is "tba"']);
    // Leaving out one word is not leaving out any bad row.
    expect(kinds(await look(rows, { skipWords: new Set(["price_form=see letter"]) }))).toEqual(["bad_rows"]);
    const skipWords = new Set(["price_form=see letter", "price_form=tbc", "date_form=tba"]);
    const stored = await world.putInForce(rows, { skipWords });
    expect(stored.refusals).toEqual([]);
    for (const number of ["+447400000123", "+442079460958", "+493023125000"]) expect(await world.price(number)).toBeNull();
    expect(await world.price("+441614960000")).toBe(28_000n);
    const { rows: kept } =
      await sql<any>`select detail->>'left_out_words' as words from operation where action = 'import-deck'`.execute(
        world.database.handle.db,
      );
    expect(kept[0].words).toBe("price_form=see letter (1204 rows), price_form=tbc (1 rows), date_form=tba (1 rows)");
  });

  test("a word that no row has is refused", async () => {
    expect((await look([UK], { skipWords: new Set(["price_form=closed"]) })).refusals).toEqual([
      { kind: "unknown_lines", text: 'No rows of the file are left out by these: "price_form=closed".' },
    ]);
  });
});
