import { expect, test } from "vitest";
import type { DeckReport } from "../import-deck.ts";
import type { CountryTraffic } from "../rate-traffic.ts";
import { changedCountries, moneyLines } from "./present-report.ts";

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
  expect(moneyLines(report([]))).toEqual(["No calls were answered in the last 30 days, so the change in money is unknown."]);
});

test("it names sums, directions and the countries that change", () => {
  const all = report([ghana, lost, same]);
  expect(moneyLines(all)).toEqual([
    "Calls answered in the last 30 days: 9, 2 minutes. At the new prices they cost $30.00 and bring in $42.00.",
    "At the present prices they cost $10.00 and bring in $14.00.",
    "Cost: $20.00 more. Customers pay: no change.",
  ]);
  expect(changedCountries(all)).toEqual([ghana, lost]);
});

test("a first list has no present prices", () => {
  expect(moneyLines(report([same], null))).toHaveLength(1);
});
