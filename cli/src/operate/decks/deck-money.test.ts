import type { CountryTraffic, DeckReport } from "@farline/server/decks/decks.ts";
import { expect, test } from "vitest";
import { moneyLines } from "./deck-money.ts";

const money = (cost: number, sale: number) => ({ costMicros: BigInt(cost * 1e6), saleMicros: BigInt(sale * 1e6) });

function report(countries: CountryTraffic[], current: string | null = "November"): DeckReport {
  const calls = countries.reduce((sum, one) => sum + one.calls, 0);
  const directions = { moreMicros: 20_000_000n, lessMicros: 0n };
  const sums = { calls, seconds: 90, lost: 0, gained: 0, before: money(10, 14), after: money(30, 42) };
  const traffic = { ...sums, countries, cost: directions, sale: { moreMicros: 0n, lessMicros: 0n } };
  return { trunk: null, current, comparison: { traffic } } as unknown as DeckReport;
}
const ghana: CountryTraffic = {
  countryCode: "GH",
  calls: 3,
  seconds: 90,
  lost: 0,
  gained: 0,
  before: money(10, 14),
  after: money(30, 42),
};
const same: CountryTraffic = { ...ghana, countryCode: "GB", after: ghana.before };
const lost: CountryTraffic = { ...ghana, countryCode: "CU", lost: 3, after: money(0, 0) };

test("without calls it says that the change in money is unknown, instead of sums of zero", () => {
  expect(moneyLines(report([]), 20)).toEqual(["No calls were answered in the last 30 days, so the change in money is unknown."]);
});

test("it names sums, directions and the countries that change, and how many more there are", () => {
  expect(moneyLines(report([ghana, lost, same]), 1)).toEqual([
    "Calls answered in the last 30 days: 9, 2 minutes. At the new prices they cost $30.00 and bring in $42.00.",
    "At the present prices they cost $10.00 and bring in $14.00.",
    "Cost: $20.00 more. Customers pay: no change.",
    "  Ghana: 3 calls, 2 minutes, cost $10.00 -> $30.00, sold for $14.00 -> $42.00.",
    "  … and 1 more of 2 countries: --all lists them.",
  ]);
  expect(moneyLines(report([lost]), 1).at(-1)).toBe(
    "  Cuba: 3 calls, 2 minutes, cost $10.00 -> no price, sold for $14.00 -> no price.",
  );
});

test("a first list has no present prices", () => {
  expect(moneyLines(report([same], null), 1)).toHaveLength(1);
});
