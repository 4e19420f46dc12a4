import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MARK_UP } from "@farline/domain/business/mark-up.ts";
import { buildRateTable, matchPrefix } from "@farline/domain/rates/rating.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildDeck } from "./build-deck.ts";
import { readDeckFile } from "./file/read-deck-file.ts";
import { numberingPlan, type NumberingPlan } from "./plan/numbering-plan.ts";

const NOW = new Date("2026-11-01T12:00:00Z");
const HEADER = "Destination,Prefix,Rate,Billing,Effective,Forbidden";
const RUNS = process.env["FULL"] === "1" ? 2_000 : 60;

let folder: string;
let plan: NumberingPlan;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "decks-"));
  plan = await numberingPlan();
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function build(lines: readonly string[], skipLines: readonly number[] = []) {
  const path = join(folder, `${(files += 1)}.csv`);
  await writeFile(path, [HEADER, ...lines].join("\n"));
  const file = await readDeckFile(path, { increments: null, skipLines: new Set(skipLines), columns: new Map(), earlier: null });
  const built = buildDeck(file.rows, { at: NOW, dates: null, starts: [], markUp: MARK_UP }, plan, file.bad);
  const table = buildRateTable(
    built.rows,
    built.blocks.map(({ prefix }) => prefix),
  );
  const cost = (number: string) => {
    const row = matchPrefix(table, number);
    return row === null ? null : Number(row.cost.ratePerMinuteMicros);
  };
  return { bad: file.bad.named.map(({ line, problem }) => [line, problem]), built, cost };
}

describe("a number is sold only at the price of a row meant for it", () => {
  test.each([
    ["a closed code", ["UK Mobile,447,0.02,1/1,,", "Jersey Mobile,447937,0.25,1/1,,1"], "+447937123456"],
    ["a code with a future row", ["France,33,0.01,1/1,,", "France Mobile,336,0.09,1/1,2026-12-01,"], "+33612345678"],
    ["Jamaica under the USA", ["USA,1,0.01,1/1,,"], "+18765551234"],
    ["Antigua under the USA and Canada", ["USA/Canada,1,0.01,1/1,,"], "+12684601234"],
    ["Guernsey under the UK", ["United Kingdom,44,0.01,1/1,,"], "+447781123456"],
    ["a mobile of the Isle of Man under the UK's mobiles", ["UK Mobile,447,0.01,1/1,,"], "+447924123456"],
    ["Kazakhstan under Russia", ["Russia,7,0.01,1/1,,"], "+77011234567"],
    ["Svalbard under Norway", ["Norway,47,0.01,1/1,,"], "+4779123456"],
    ["Aland under Finland", ["Finland,358,0.01,1/1,,"], "+35818123456"],
    ["the Vatican under Italy", ["Italy,39,0.01,1/1,,"], "+390669812345"],
    ["Mayotte under Reunion", ["Reunion,262,0.01,1/1,,"], "+262639123456"],
    ["Bonaire under Curacao", ["Curacao,599,0.01,1/1,,"], "+5997171234"],
    ["a row without a name under its own code", [",44,0.01,1/1,,"], "+447797123456"],
    ["all but one of a country", ["UK excl. Jersey,44,0.01,1/1,,"], "+447797123456"],
  ])("%s is not sold", async (_, lines, number) => {
    const { bad, cost } = await build(lines);
    expect([bad, cost(number)]).toEqual([[], null]);
  });

  test("a country with its own row is sold, even under a shared calling code", async () => {
    const { cost } = await build([
      "USA/Canada,1,0.01,1/1,,",
      "Jamaica,1876,0.2,1/1,,",
      "UK,44,0.01,1/1,,",
      "Jersey,44,0.3,1/1,,",
    ]);
    expect(["+12125551234", "+14165551234", "+18765551234", "+442079460958", "+447797123456"].map(cost)).toEqual([
      10_000, 10_000, 200_000, 10_000, 300_000,
    ]);
  });

  test("the numbers of a line that is left out are not sold", async () => {
    const { bad, cost } = await build(["UK,44,0.01,1/1,,", "UK Mobile,447,free,1/1,,"], [3]);
    expect([bad, cost("+447400123456"), cost("+442079460958")]).toEqual([[], null, 10_000]);
  });

  test.each(["Canada - Ontario,905", "USA - CT,203", "Germany,33", "United Kingdom,7400", "Canada,1212", "USA - Georgia,995"])(
    "%s is refused because the prefix belongs to another country",
    async (row) => {
      expect((await build([`${row},0.01,1/1,,`])).bad).toEqual([[2, "country_differs"]]);
    },
  );

  test.each([
    "Puerto Rico,1787",
    "USA - Puerto Rico,1787",
    "UK - Jersey,447797",
    "Netherlands Antilles,599",
    "Congo,243",
    "Korea South,82",
  ])("%s is accepted", async (row) => {
    const { bad, built } = await build([`${row},0.01,1/1,,`]);
    expect([bad, built.rows.length > 0]).toEqual([[], true]);
  });
});

/** Prefixes under calling codes of one country and of several countries. */
const prefixes = fc
  .tuple(
    fc.constantFrom("1", "7", "33", "39", "44", "47", "61", "262", "358", "590", "599"),
    fc.stringMatching(/^(?:0|[1-9]\d{0,4})?$/),
  )
  .map(([code, rest]) => code + rest);
const rows = fc.record({
  prefix: prefixes,
  cents: fc.integer({ min: 1, max: 900 }),
  when: fc.constantFrom("ASAP", "2026-10-01", "2026-12-01"),
  closed: fc.boolean(),
});

test("no number is sold below the cost of the file's most specific row, including closed and future rows", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(rows, { maxLength: 25, selector: ({ prefix }) => prefix }),
      fc.infiniteStream(fc.nat(9)),
      async (deck, digits) => {
        const { cost } = await build(
          deck.map(({ prefix, cents, when, closed }) => `,${prefix},${(cents / 1_000).toFixed(3)},1/1,${when},${closed ? 1 : 0}`),
        );
        for (const { prefix } of deck) {
          const number = prefix + Array.from({ length: 12 - prefix.length }, () => digits.next().value as number).join("");
          const nearest = deck
            .filter((row) => number.startsWith(row.prefix))
            .toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
          const found = cost(number);
          if (nearest === undefined || nearest.closed || nearest.when === "2026-12-01") expect(found).toBeNull();
          else if (found !== null) expect(found).toBe(nearest.cents * 1_000);
          // A country's range is never sold by another country's row.
          if (found !== null) expect(plan.at(number)?.countryCode).toBe(plan.at(nearest?.prefix ?? "")?.countryCode);
        }
      },
    ),
    { numRuns: RUNS },
  );
});
