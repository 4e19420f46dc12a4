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
  return readDeckFile(path, { increments: null, skipLines: new Set(skipLines), columns: new Map(), earlier: null });
}

const brief = ({ rows, bad, skipped }: Awaited<ReturnType<typeof read>>) => ({
  rows: rows.flatMap(({ prefixes, offer: { cost }, line }) =>
    cost === null
      ? []
      : [[line, prefixes.join(" "), Number(cost.ratePerMinuteMicros), cost.firstIntervalSeconds, cost.nextIntervalSeconds]],
  ),
  bad: bad.named.map(({ line, problem }) => [line, problem]),
  skipped: Object.fromEntries(skipped),
});

describe("typical carrier lists", () => {
  test("a list with several prefixes per row, prices by caller number, and prices per call is read", async () => {
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
    expect(file.rows[0]?.offer).toMatchObject({ iso: "LU", description: "Trunking Outbound Minute - Luxembourg - Mobile" });
  });

  test("a list with a byte-order mark, semicolons, decimal commas, two prices and two flags is read", async () => {
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

  test("a list with a notice above the header, ranges, increments in one column, and change words is read", async () => {
    const file = await read(
      [
        "Example Carrier Ltd;;;;;",
        "Rates in USD, valid from 1 December 2026;;;;;",
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
      skipped: { closed: 1, notice: 2 },
    });
    expect(file.starts).toEqual([{ line: 2, text: "1 December 2026" }]);
    expect(file.rows[0]?.offer.description).toBe('Germany Mobile; "T"');
  });

  test("lines that the operator leaves out are not checked", async () => {
    const file = await read("Prefix\tRate\tIncrement\n44\tfree\t60/60\n45\t0.01\t60/60\n", [2]);
    expect(brief(file)).toEqual({ rows: [[3, "45", 10_000, 60, 60]], bad: [], skipped: { on_request: 1 } });
  });

  test("the first thousand bad rows of a kind are listed and the others counted", async () => {
    const file = await read(`Prefix,Rate,Pulse\n${"44,,60\n".repeat(1_500)}`);
    expect(file.bad.named.length).toBe(1_000);
    expect(file.bad.counts.get("price_missing")).toBe(1_500);
  });
});

test("rows beside the prices are recognised, unless they may change what calls cost", async () => {
  const file = await read(
    [
      "Destination,Code,Rate,Billing",
      "Europe,,,",
      "UK,44,0.01,1/1",
      "Destination,Code,Rate,Billing",
      "Germany,49,0.02,60/60",
      "Germany Closed,49172,,",
      "Page 2/3,,,",
      "Calls to Mexico are billed 60/60,,,",
      "Rates valid until 31 December,,,",
      "Total number of codes: 2,,,",
      "Total,2,,",
      "France,,0.01,1/1",
      "Thank you for choosing Acme,,,",
    ].join("\n"),
  );
  expect(brief(file)).toMatchObject({
    bad: [
      [8, "notice_unclear"],
      [9, "notice_unclear"],
      [12, "prefix_missing"],
    ],
    skipped: { notice: 3, repeated_header: 1, total: 2 },
  });
  expect(file.rows.map(({ line }) => line)).toEqual([3, 5, 6]);
  expect(file.beside.map(({ line, text }) => [line, text])).toContainEqual([13, "Thank you for choosing Acme"]);
});

describe("files refused as a whole", () => {
  test.each([
    ["", "The file is empty."],
    ["PK\u0003\u0004", "This is a workbook. Save its sheet as CSV (UTF-8) and import that file."],
    [Buffer.from("\uFEFFPrefix,Rate\n", "utf16le"), "The file is not text in UTF-8. Save it as CSV (UTF-8)."],
    ["44;0.01;60\n", /^No row names the columns\./],
    [
      "Ziele,Tarif,Takt\n44,0.01,60/60\n",
      /If line 1 does \("Ziele", "Tarif", "Takt"\), say what they mean: --column "Ziele=prefix" /,
    ],
    ["Prefix,Rate (EUR)\n44,0.01\n", 'The column "Rate (EUR)" is not in US dollars.'],
    [
      "Prefix,Rate,Price\n44,0.01,0.02\n",
      'The columns "Rate" and "Price" have the same meaning. Say which counts, for example with --column "Price=ignore".',
    ],
    ['Prefix,Rate\n44,"0.01\n45,0.02\n', /^The file is not a clean CSV file: .*/],
    [`Prefix,Rate\n44,${"1".repeat(20_000)}\n`, /^The file is not a clean CSV file: .*/],
  ])("%j", async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test("a missing file", async () => {
    const missing = join(folder, "none.csv");
    await expect(
      readDeckFile(missing, { increments: null, skipLines: new Set(), columns: new Map(), earlier: null }),
    ).rejects.toThrow(`There is no file ${missing}.`);
  });
});

describe("an ignored column", () => {
  test.each([
    ["Connect Fee", "0.05"],
    ["Setup Fee", "0.01"],
    ["Minimum Charge", "0.10"],
    ["Surcharge", "0.02"],
    ["Weekend Rate", "0.03"],
    ["Off-Peak", "0.01"],
    ["New Rate", "0.02"],
    ["Minimum Duration", "30"],
    ["Effective To", "2027-01-01"],
    ["End Date", "01.02.2027"],
    ["Valid Until", "2027-01-01"],
    ["ANI", "44"],
    ["VAT", "19 %"],
    ["Zuschlag", "0,02"],
    ["Recargo", "0,02"],
    ["Comment", "call us"],
    ["Network", "Orange, EEA origin"],
    ["Qwerty", "x"],
    ["Notes", "0.0150"],
    ["Comment", "2027-03-01"],
  ])("%s with the value %s may affect prices and is reported", async (name, value) => {
    const read = await attempt(["Prefix", "Rate", "Increment", name], ["44", "0.01", "1/1", value]);
    expect(read).toEqual([name]);
  });

  test.each([
    ["Rate Id", "4711"],
    ["Network", "Vodafone"],
    ["Connect Fee", "0.00"],
    ["Setup Fee", ""],
    ["MCC", "234"],
  ])("%s with the value %s does not affect prices", async (name, value) => {
    expect(await attempt(["Prefix", "Rate", "Increment", name], ["44", "0.01", "1/1", value])).toEqual([]);
  });

  /** The columns that block an import, or the refusal of the whole file. */
  async function attempt(header: readonly string[], row: readonly string[]): Promise<readonly string[]> {
    const quoted = row.map((cell) => `"${cell}"`);
    return read(`${header.join(",")}\n${quoted.join(",")}\n`).then(
      (file) => file.doubtful.map(({ name }) => name),
      (error: Error) => [header.find((name) => error.message.includes(`"${name}"`)) ?? error.message],
    );
  }
});

const OTHER_CURRENCY = /not in US dollars|names another currency/;

describe("a list in another currency is refused", () => {
  test.each([
    "Rate (€/min)",
    "Rate (£)",
    "Rate (¥)",
    "Rate (¢/min)",
    "Rate (c/min)",
    "Rate EUR",
    "Rate (CAD)",
    "Rate (A$)",
    "Rate in euro cents",
    "Preis (€)",
    "Rate ₹",
  ])("%s", async (name) => {
    await expect(read(`Prefix,"${name}",Increment\n44,0.01,1/1\n`)).rejects.toThrow(OTHER_CURRENCY);
  });

  test.each(["All prices in EUR", "Rates are in GBP per minute", "Currency: INR", "Prices in Euro"])(
    "notice %s",
    async (notice) => {
      await expect(read(`${notice},,\nPrefix,Rate,Increment\n44,0.01,1/1\n`)).rejects.toThrow(OTHER_CURRENCY);
    },
  );

  test("a row with another currency in its currency column is bad", async () => {
    const file = await read("Prefix,Rate,Increment,Curr.\n44,0.01,1/1,USD\n45,0.02,1/1,EUR\n");
    expect(brief(file)).toMatchObject({ rows: [[2, "44", 10_000, 1, 1]], bad: [[3, expect.stringContaining("currency")]] });
  });

  test.each(["Rate (USD)", "Rate ($)", "Rate US$", "Rate per minute, US dollars"])("%s is accepted as dollars", async (name) => {
    expect(brief(await read(`Prefix,"${name}",Increment\n44,0.01,1/1\n`)).rows).toHaveLength(1);
  });
});

test.each([
  ["CRLF in the head, LF below", "Prefix,Rate,Increment\r\n44,0.01,1/1\n45,0.02,1/1\n"],
  ["LF in the head, CRLF below", "Prefix,Rate,Increment\n44,0.01,1/1\r\n45,0.02,1/1\r\n"],
  ["CR alone", "Prefix,Rate,Increment\r44,0.01,1/1\r45,0.02,1/1"],
  ["all three", "Prefix,Rate,Increment\r\n44,0.01,1/1\r45,0.02,1/1\n"],
])("%s: no row is lost", async (_, content) => {
  expect(brief(await read(content))).toMatchObject({
    rows: [
      [2, "44", 10_000, 1, 1],
      [3, "45", 20_000, 1, 1],
    ],
    bad: [],
  });
});

test("the order's increments count for rows without any, never for rows whose increments cannot be read", async () => {
  const path = join(folder, "increments.csv");
  await writeFile(path, "Prefix,Rate,Billing\n44,0.01,\n45,0.02,soon\n");
  const increments = { firstIntervalSeconds: 60, nextIntervalSeconds: 6 };
  const file = await readDeckFile(path, { increments, skipLines: new Set(), columns: new Map(), earlier: null });
  expect(brief(file)).toMatchObject({ rows: [[2, "44", 10_000, 60, 6]], bad: [[3, "increments_form"]] });
});

test("a row longer than the header is bad", async () => {
  const { rows, bad } = brief(await read("Prefix,Rate,Increment\n44,0.01,1/1,0.99\n45,0.02,1/1\n"));
  expect([rows.length, bad.map(([line]) => line)]).toEqual([1, [2]]);
});

test.each([
  ["Windows-1252", Buffer.from("Prefix,Rate,Increment,Destination\n44,0.01,1/1,UK\n225,0.30,1/1,C\u00f4te d'Ivoire\n", "latin1")],
  [
    "one broken byte",
    Buffer.concat([
      Buffer.from("Prefix,Rate,Increment,Destination\n44,0.01,1/1,UK\n225,0.30,1/1,"),
      Buffer.from([0xff]),
      Buffer.from("\n"),
    ]),
  ],
])("%s is refused with its line number", async (_, content) => {
  await expect(read(content)).rejects.toThrow(/\b3\b/);
});

describe("a line that is left out", () => {
  const HEADER = "ISO,Country,Code,Rate,Billing";

  test("must have a prefix that can be read, or it would be sold at a shorter one's price", async () => {
    const file = await read([HEADER, "GB,UK,44,0.01,1/1", "GB,UK,447x,0.02,1/1", "GB,UK,,0.02,1/1"].join("\n"), [3, 4]);
    expect(brief(file)).toEqual({ rows: [[2, "44", 10_000, 1, 1]], bad: [[3, "prefix_form"]], skipped: { on_request: 1 } });
  });

  test("may have an unknown country code", async () => {
    const file = await read([HEADER, "QQ,UK,447,0.02,1/1"].join("\n"), [2]);
    expect(brief(file)).toEqual({ rows: [], bad: [], skipped: { on_request: 1 } });
  });
});

test("a country stands in for a description, and closed may be said in the price of the first minute", async () => {
  const file = await read(
    ["Country,Code,Price 1,Price N,Billing", "France,33,0.01,0.01,1/1", "France,336,closed,,1/1"].join("\n"),
  );
  expect(file.rows.map(({ offer }) => [offer.description, offer.skip])).toEqual([
    ["France", null],
    ["France", "closed"],
  ]);
});

test("one letter says in a status column what it does not in a flag's", async () => {
  const file = await read(["Code,Status,Blocked,Rate,Billing", "33,D,,0.01,1/1", "49,A,D,0.02,1/1"].join("\n"));
  expect(brief(file)).toEqual({ rows: [], bad: [[3, "flag_unknown"]], skipped: { closed: 1 } });
});

test("a calling code stands in a column of its own or in that of the prefixes", async () => {
  for (const name of ["Prefix", "Country Code"])
    expect(brief(await read(`${name},City Code,Rate,Billing\n44,20,0.01,1/1\n`)).rows).toEqual([[2, "4420", 10_000, 1, 1]]);
});

test("increments that a further column contradicts are unclear, also where it has only one of the parts", async () => {
  const list = [
    "Code,Rate,Billing,Interval 1,Interval N",
    "33,0.01,60/60,,60",
    "34,0.02,60/1,,",
    "35,0.02,60/6,60,6",
    "49,0.02,60/1,,60",
    "39,0.02,60/60,30,",
    "31,0.02,60/6,30,6",
    "32,0.02,60/6,60,1",
    "43,0.02,60/6,soon,6",
  ];
  const { rows, bad } = brief(await read(list.join("\n")));
  expect(rows.map(([line]) => line)).toEqual([2, 3, 4]);
  expect(bad).toEqual([5, 6, 7, 8, 9].map((line) => [line, "increments_unclear"]));
});
