import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { expect, test } from "vitest";
import { reportLines } from "./deck-report.ts";

const COUNTS = { rows: 3, prefixes: 2, bad: 1, added: 0, raised: 1, lowered: 1, other_increments: 0, unchanged: 0, gone: 0 };
const REPORT: DeckReportResponse = {
  understood: {
    kind: "sale",
    trunk: null,
    lines: ["Prices that customers pay."],
    examples: [
      {
        chosen: "cheapest",
        prefix: "44",
        description: "UK",
        seconds: 90,
        cost: "0.0300",
        sale: "0.0420",
        text: "Cheapest: 90 seconds to +44… UK.",
      },
    ],
  },
  preview: "0123456789abcdef",
  summary: ["3 rows, 2 prefixes, 1 bad."],
  warnings: [],
  counts: COUNTS,
  compared_with: "November",
  columns: [
    { header: "Codes", meaning: "prefix", is_given: true },
    { header: "Fee", meaning: null, is_given: false },
  ],
  doubtful_columns: ["Fee"],
  bad_rows: [],
  notices: { total: 0, rows: [] },
  money: { lines: [], total: 0, countries: [] },
  jumps: { line: null, total: 0, changes: [] },
  removed_in_use: [],
  concerns: [],
  refusals: [],
  deck: null,
  same_deck: null,
  activated: null,
  proposal: null,
};
const DEAR = { cost: "0.0200", sale: "0.0280" };

test("lists are shortened and say how many entries there are; a terminal cannot be controlled by a file", () => {
  const lines = reportLines({
    ...REPORT,
    bad_rows: [
      {
        problem: "price_form",
        text: "not a price",
        count: 2,
        rows: [{ line: 3, text: "49 | \u001b[2J | soon" }],
        words: [{ word: "soon", count: 2, text: '2 rows whose price is "soon"' }],
      },
    ],
    jumps: {
      line: "2 of 9 compared prices change by more than half.",
      total: 1,
      changes: [{ prefix: "44", description: "UK", before: null, after: DEAR }],
    },
    money: {
      lines: [],
      total: 1,
      countries: [
        {
          country_code: "CU",
          country_name: "Cuba",
          calls: 3,
          minutes: 2,
          before: { cost: "10.00", sale: "14.00" },
          after: null,
        },
      ],
    },
  });
  expect(lines).toEqual([
    "Prices that customers pay.",
    "Cheapest: 90 seconds to +44… UK.",
    "3 rows, 2 prefixes, 1 bad.",
    "Columns: Codes (prefix).",
    "  Cuba: 3 calls, 2 minutes, cost $10.00 -> no price, sold for $14.00 -> no price.",
    "2 of 9 compared prices change by more than half.",
    "  +44 UK, cost no price -> $0.0200, sold for no price -> $0.0280 a minute.",
    "2 rows: not a price.",
    '  2 rows whose price is "soon": --skip-word "price_form=soon"',
    "  line 3: 49 |  [2J | soon",
    "  … and 1 more of 2: --bad-rows <file> writes them all to a file.",
  ]);
});

test("a refusal says which option of the command answers it", () => {
  const lines = reportLines({
    ...REPORT,
    refusals: [
      { kind: "doubtful_columns", text: "These columns are not read." },
      { kind: "incomplete", text: "Much is missing." },
      { kind: "nothing_applies", text: "No row applies." },
    ],
  });
  expect(lines.slice(-3)).toEqual([
    'These columns are not read. If they do not, pass --column "Fee=ignore".',
    "Much is missing. If it is complete, pass --complete.",
    "No row applies.",
  ]);
});
