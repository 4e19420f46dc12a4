import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDeckFile } from "./read-deck-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "decks-"));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function read(content: string | Buffer, skipLines: readonly number[] = []) {
  const path = join(folder, `${(files += 1)}.csv`);
  await writeFile(path, content);
  return readDeckFile(path, { increments: null, skipLines: new Set(skipLines), ignoreColumns: [] });
}

const brief = ({ rows, bad, skipped }: Awaited<ReturnType<typeof read>>) => ({
  rows: rows.flatMap(({ prefixes, cost, line }) =>
    cost === null
      ? []
      : [[line, prefixes.join(" "), Number(cost.ratePerMinuteMicros), cost.firstIntervalSeconds, cost.nextIntervalSeconds]],
  ),
  bad: bad.named.map(({ line, problem }) => [line, problem]),
  skipped: Object.fromEntries(skipped),
});

describe("lists as carriers send them", () => {
  test("one row for each list of prefixes, prices for other caller numbers beside the default, prices for each call", async () => {
    const file = await read(
      [
        "ISO,Country,Origination Prefixes,Destination Prefixes,Description,Interval 1,Interval N,Rate,Price Per Call,Exact Match",
        'LU,Luxembourg,,"352621, 352628",Trunking Outbound Minute - Luxembourg - Mobile,60,1,0.0210,0.0000,No',
        'LU,Luxembourg,"352,32","352621, 352628",Trunking Outbound Minute - Luxembourg - Mobile,60,1,0.0011,,No',
        "LU,Luxembourg,,3529,Service,60,60,0.01,0.25,No",
        "",
      ].join("\r\n"),
    );
    expect(brief(file)).toEqual({
      rows: [[2, "352621 352628", 21_000, 60, 1]],
      bad: [[4, "price_per_call"]],
      skipped: { other_caller_numbers: 1 },
    });
    expect(file.rowsRead).toBe(3);
    expect(file.rows[0]).toMatchObject({ iso: "LU", description: "Trunking Outbound Minute - Luxembourg - Mobile" });
  });

  test("a byte-order mark, semicolons, decimal commas, two prices and two flags", async () => {
    const file = await read(
      [
        "\uFEFFCountry;Description;Prefix;Effective from;Rate Id;Forbidden;Discontinued;Price 1;Price N;Interval 1;Interval N",
        "Ghana;Ghana Mobile;+23324;ASAP;11;0;0;0,2100;0,2100;1;1",
        "Ghana;Ghana Mobile;+23326;ASAP;12;0;0;0,2100;0,1100;1;1",
        "Ghana;Ghana Mobile;+23327;2026-12-01 00:00:00;13;1;0;0,2100;0,2100;1;1",
        "Ghana;Ghana Mobile;+23328;ASAP;14;0;1;0,2100;0,2100;1;1",
      ].join("\n"),
    );
    expect(brief(file)).toEqual({ rows: [[2, "23324", 210_000, 1, 1]], bad: [[3, "two_prices"]], skipped: { closed: 2 } });
  });

  test("a notice above the header, ranges, increments in one column, change words", async () => {
    const file = await read(
      [
        "Example Carrier Ltd;;;;;",
        "Rates in USD, valid from 1 December;;;;;",
        ";;;;;",
        "Destination;Dial Codes;Rate/Min (USD);Effective;Billing;Change",
        '"Germany Mobile; ""T""";49172-49174;0.0190;01.12.2026;60/1;Increase',
        "Germany Special;82-01;0.0190;01.12.2026;60/1;New",
        "Germany Closed;49175;0.0190;01.12.2026;60/1;Closed",
        "Germany Odd;49176;0.0190;01.12.2026;1/60;New",
      ].join("\r\n"),
    );
    expect(brief(file)).toEqual({
      rows: [[5, "49172 49173 49174", 19_000, 60, 1]],
      bad: [
        [6, "prefix_form"],
        [8, "increments_unclear"],
      ],
      skipped: { closed: 1 },
    });
    expect(file.rows[0]?.description).toBe('Germany Mobile; "T"');
  });

  test("lines left out by an operator are not looked at", async () => {
    const file = await read("Prefix\tRate\tIncrement\n44\tfree\t60/60\n45\t0.01\t60/60\n", [2]);
    expect(brief(file)).toEqual({ rows: [[3, "45", 10_000, 60, 60]], bad: [], skipped: { on_request: 1 } });
  });

  test("a thousand bad rows of a kind are named, the others counted", async () => {
    const file = await read(`Prefix,Rate,Pulse\n${"44,,60\n".repeat(1_500)}`);
    expect(file.bad.named.length).toBe(1_000);
    expect(file.bad.counts.get("price_missing")).toBe(1_500);
  });
});

describe("files refused as a whole", () => {
  test.each([
    ["", "The file is empty."],
    ["PK\u0003\u0004", "This is a workbook. Save its sheet as CSV (UTF-8) and import that file."],
    [Buffer.from("\uFEFFPrefix,Rate\n", "utf16le"), "The file is not text in UTF-8. Save it as CSV (UTF-8)."],
    ["44;0.01;60\n", /^No row names the columns\./],
    ["Prefix,Rate (EUR)\n44,0.01\n", 'The column "Rate (EUR)" is not in US dollars.'],
    ["Prefix,Rate,Price\n44,0.01,0.02\n", 'The columns "Rate" and "Price" mean the same. Remove one.'],
    ['Prefix,Rate\n44,"0.01\n45,0.02\n', /^The file is not a clean CSV file: .*/],
    [`Prefix,Rate\n44,${"1".repeat(20_000)}\n`, /^The file is not a clean CSV file: .*/],
  ])("%j", async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test("one that is not there", async () => {
    const missing = join(folder, "none.csv");
    await expect(readDeckFile(missing, { increments: null, skipLines: new Set(), ignoreColumns: [] })).rejects.toThrow(
      `There is no file ${missing}.`,
    );
  });
});
