import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MARK_UP } from "@farline/domain/business/mark-up.ts";
import { buildDeck } from "@farline/server/decks/build-deck.ts";
import { readDeckFile } from "@farline/server/decks/file/read-deck-file.ts";
import { numberingPlan, type NumberingPlan } from "@farline/server/decks/plan/numbering-plan.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Attempts } from "./src/attempts.ts";

const AT = new Date("2026-12-01T00:00:00Z");
const HEADER = "Destination,Code,Rate,Billing";
const ROW = "France,33,0.01,1/1";
const folder = mkdtempSync(join(tmpdir(), "farline-price-lists-"));
let plan: NumberingPlan;
beforeAll(async () => {
  plan = await numberingPlan();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Lists by kind, each of which must not sell France as it stands: the import stops, or the row is closed. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "a code that the carrier has blocked": [
    "Blocked",
    "Forbidden",
    "ja",
    "oui",
    "on",
    "2",
    "Y (fraud)",
    "да",
    "❌",
    "gesperrt",
    "是",
  ].map((flag) => `${HEADER},Blocked\n${ROW},${flag}`),
  "a code that a status closes": [
    ...[
      "Discontinue",
      "Block",
      "Barred",
      "Suspended",
      "Inactive",
      "Closed - fraud",
      "Code removed",
      "Withdrawn",
      "Not available",
    ],
    ...["закрыт", "已关闭", "kapalı", "مغلق", "pending", "R"],
  ].flatMap((word) => ["Status", "Change"].map((name) => `${HEADER},${name}\n${ROW},${word}`)),
  "a notice that changes prices": [
    "A connection fee of USD 0.05 applies",
    "EEA caller numbers only",
    "Calls are billed 60/60",
    "EFFECTIVE DATE 2027-01-01",
    "Rates from Europe",
    "Valid from 2026-10-01 to 2026-10-31",
    "Plus VAT",
    "Surcharge for mobile numbers: see sheet 2",
  ].flatMap((notice) => [`${notice},,,\n${HEADER}\n${ROW}`, `${HEADER}\n${ROW}\n${notice},,,`]),
  "a list that has ended": [
    ...["End date 2026-11-30", "Validity: 30 Nov 2026", "Valid 2026-11-30", "gültig bis 30.11.2026"],
  ].flatMap((notice) => [`${notice},,,\n${HEADER}\n${ROW}`, `${HEADER}\n${ROW}\n${notice},,,`]),
  "a notice behind a label": [
    "Attention: all rates double on Monday",
    "Supplier: all codes of France are out",
    "Reference: add ten to each",
    "List: mobile twice",
  ].map((notice) => `${notice},,,\n${HEADER}\n${ROW}`),
  "a flag that asks": ["Blocked", "Active", "Status", "Change"].map((name) => `${HEADER},${name}\n${ROW},OK?`),
  "a price that is not per minute": [
    ...["per second", "per hour", "per 100 s", "per 1000 minutes", "/sec", "pro Stunde"].map(
      (unit) => `Prices in USD ${unit},,,\n${HEADER}\n${ROW}`,
    ),
    ...["Rate/sec", "Rate per hour", "Rate/1000 min", "Rate (USc/min)"].map((name) => `Destination,Code,${name},Billing\n${ROW}`),
    `${HEADER},Unit\n${ROW},sec`,
  ],
  "codes in further columns": [
    "Destination,Code,,Rate,Billing\nFrance,33,336,0.01,1/1",
    "Destination,Code,More,Rate,Billing\nFrance,33,336,0.01,1/1",
    "Destination,Code,Code 2,Rate,Billing\nFrance,33,7,0.01,1/1",
    `${HEADER}\n${ROW},336`,
  ],
  "a cell that was merged or shortened": [
    "CC,Prefix,Rate,Billing\n49,30,0.01,1/1\n,33,0.01,1/1",
    "Country,CC,Area Code,Rate,Billing\nFrance,33,01,0.01,1/1",
    "Destination;Code;Rate;Billing\nFrance;33,612;0.01;1/1",
    "Destination,Code,Rate,Effective,Billing\nFrance,336,0.01,2027-01-01,1/1\nFrance,33,0.01,,1/1",
  ],
  "a price for something else": [
    `${HEADER}\nFrance EEA Origin,33,0.01,1/1`,
    `${HEADER}\nFrance surcharge,33,0.01,1/1`,
    ...["EU only", "roaming", "night", "first minute", "holiday", "on request", "no route", "do not sell", "biaya tambahan"].map(
      (words) => `${HEADER}\nFrance ${words},33,0.01,1/1`,
    ),
    ...["+10%", "0.02 from January", "from 01/01/2027"].map((words) => `${HEADER}\nFrance ${words},33,0.01,1/1`),
    `${HEADER},Effective\n${ROW},2569-12-01`,
    `${HEADER}\nFrance (additive),33,0.01,1/1`,
    `${HEADER}\nGermany,49,0.02,1/1\nDestination,Code,Old Rate,Billing\n${ROW}`,
    "Destination,Code,Rate,Interval 1,Interval N\nFrance,33,0.01,1,60",
  ],
};

test("what a price list does not say for certain is not sold", async () => {
  const attempts = new Attempts();
  for (const [kind, lists] of Object.entries(LISTS))
    for (const list of lists) attempts.check(kind, list, !(await sellsFrance(list)));
  expect(attempts.succeeded).toEqual([]);
  expect([await sellsFrance(`${HEADER}\n${ROW}`), attempts.tried]).toEqual([true, 110]);
});

async function sellsFrance(list: string): Promise<boolean> {
  const path = join(folder, "list.csv");
  writeFileSync(path, list);
  const options = { increments: null, skipLines: new Set<number>(), columns: columnsOf(list), earlier: null };
  const file = await readDeckFile(path, options).catch(() => null);
  if (file === null) return false;
  const built = buildDeck(file.rows, { at: AT, dates: null, starts: file.starts, markUp: MARK_UP }, plan, file.bad);
  const stops = file.bad.named.length > 0 || file.doubtful.length > 0;
  return !stops && [...built.rows].some(({ prefix }) => prefix === "33");
}

/** An operator who says that whatever is in the third place is the price. */
function columnsOf(list: string) {
  const name = /^Destination,Code,(Rate[^,]+),/.exec(list)?.[1];
  return new Map(
    name === undefined
      ? []
      : [
          [
            name
              .toLowerCase()
              .replaceAll(/[^a-z0-9]+/g, " ")
              .trim(),
            "price" as const,
          ],
        ],
  );
}
