import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dateReading, orderOf, readDate, type DateOrder } from "./deck-dates.ts";
import { readIncrements, readPrice, readTwoIncrements } from "./deck-values.ts";
import { readPrefixes } from "./number-ranges.ts";

describe("readPrice", () => {
  test.each([
    ["0.0123", 12_300n],
    [" $0.5 ", 500_000n],
    ["0,0123", 12_300n],
    ["1.25 USD", 1_250_000n],
    ["0.0123456", 12_346n],
    ["0.0000001", 1n],
    ["3", 3_000_000n],
    ["", "price_missing"],
    ["0.000", "price_zero"],
    ["-0.01", "price_form"],
    ["1,234.56", "price_form"],
    ["1.5E-02", 15_000n],
    [".0150", 15_000n],
    ["$0.02/min", 20_000n],
    ["0.02 USD per minute", 20_000n],
    ['="0.02"', 20_000n],
    ["1E3", "price_too_high"],
    ["0.02 ¢", "currency"],
    ["A$0.02", "currency"],
    ["2 cents", "currency"],
    ["n/a", "price_form"],
    ["12.5 EUR", "currency"],
    ["€0.01", "currency"],
    ["51", "price_too_high"],
  ])("%j is %s", (cell, price) => {
    expect(readPrice(cell)).toBe(price);
  });
});

describe("readIncrements", () => {
  test.each([
    ["60/1", [60, 1]],
    ["30+6", [30, 6]],
    ["60 - 60", [60, 60]],
    ["60/60/0", [60, 60]],
    ["1", [1, 1]],
    ["Per second", [1, 1]],
    ["1/60", "increments_unclear"],
    ["60/60/5", "increments_form"],
    ["0/1", "increments_form"],
    ["4000/1", "increments_form"],
    ["minute", "increments_form"],
    ["", "increments_missing"],
  ])("%j is %j", (cell, expected) => {
    const read = readIncrements(cell);
    expect(typeof read === "string" ? read : [read.firstIntervalSeconds, read.nextIntervalSeconds]).toEqual(expected);
  });

  test("two columns are read as one cell", () => {
    expect(readTwoIncrements("1", "60")).toBe("increments_unclear");
    expect(readTwoIncrements("60", "1")).toEqual({ firstIntervalSeconds: 60, nextIntervalSeconds: 1 });
    expect(readTwoIncrements("60", "")).toEqual({ firstIntervalSeconds: 60, nextIntervalSeconds: 60 });
    expect(readTwoIncrements("", "1")).toBe("increments_form");
    expect(readTwoIncrements("six", "6")).toBe("increments_form");
  });
});

describe("readDate", () => {
  const reading = (order: DateOrder | null) => ({ order, hasSerials: false });

  test.each([
    ["2026-12-01", null, "2026-12-01T00:00:00.000Z"],
    ["20261201", null, "2026-12-01T00:00:00.000Z"],
    ["2026/12/01 13:45:10", null, "2026-12-01T13:45:10.000Z"],
    ["2026-12-01T08:00Z", null, "2026-12-01T08:00:00.000Z"],
    ["01.12.2026", null, "2026-12-01T00:00:00.000Z"],
    ["8/16/2026", null, "2026-08-16T00:00:00.000Z"],
    ["5/5/2026", null, "2026-05-05T00:00:00.000Z"],
    ["03/04/2026", "dmy", "2026-04-03T00:00:00.000Z"],
    ["03-04-2026", "mdy", "2026-03-04T00:00:00.000Z"],
    ["01-Dec-2026", null, "2026-12-01T00:00:00.000Z"],
    ["Dec 1, 2026", null, "2026-12-01T00:00:00.000Z"],
    ["1 December 2026", null, "2026-12-01T00:00:00.000Z"],
    ["11/1/2026 12:00:00 AM", "mdy", "2026-11-01T00:00:00.000Z"],
    ["11/30/2026 1:30 PM", null, "2026-11-30T13:30:00.000Z"],
    ["1-Dec-26", null, "2026-12-01T00:00:00.000Z"],
    ["12/31/26", null, "2026-12-31T00:00:00.000Z"],
    ["31/12/26", null, "2026-12-31T00:00:00.000Z"],
    ["26.06.26", null, "2026-06-26T00:00:00.000Z"],
    ["01.12.26", null, "2026-12-01T00:00:00.000Z"],
    ["26/12/25", "dmy", "2025-12-26T00:00:00.000Z"],
    ['="2026-12-01"', null, "2026-12-01T00:00:00.000Z"],
    ["2026-12-01T00:00:00+02:00", null, "2026-11-30T22:00:00.000Z"],
  ] as const)("%s (%s) is %s", (cell, order, expected) => {
    expect(readDate(cell, reading(order))).toEqual(new Date(expected));
  });

  test.each([
    ["", null],
    ["ASAP", null],
    ["03/04/2026", "date_unclear"],
    ["11/1/2026 12:00:00 AM", "date_unclear"],
    ["2026-12-01 00:00 CET", "date_form"],
    ["2026-12-01 13:00 PM", "date_form"],
    ["01/12/26", "date_unclear"],
    ["26/12/25", "date_unclear"],
    ["26.12.25", "date_unclear"],
    ["20-12", "date_form"],
    ["Dec26", "date_form"],
    ["31.02.2026", "date_form"],
    ["46357", "date_unclear"],
    ["2026-12-01 25:00", "date_form"],
    ["soon", "date_form"],
  ])("%j is %j", (cell, expected) => {
    expect(readDate(cell, reading(null))).toBe(expected);
  });

  test("a spreadsheet's days are read if the newest is near the import, so that they are not counted from 1904", () => {
    const at = new Date("2026-12-01T00:00:00Z");
    const read = (cells: readonly string[]) => cells.map((cell) => readDate(cell, dateReading(new Set(cells), null, at)));
    expect(read(["46357", "43831.5"])).toEqual([new Date("2026-12-01T00:00:00Z"), new Date("2020-01-01T12:00:00Z")]);
    expect(read(["44895"])).toEqual(["date_unclear"]);
  });

  test("the order of day and month is taken from an unambiguous date in the file", () => {
    expect(orderOf(["03/04/2026", "16/04/2026"])).toBe("dmy");
    expect(orderOf(["03/04/2026", "04/16/2026"])).toBe("mdy");
    expect(orderOf(["03/04/2026", "2026-04-16", "16.04.2026"])).toBeNull();
    expect(orderOf(["16/04/2026", "04/16/2026"])).toBeNull();
  });
});

describe("readPrefixes", () => {
  test.each([
    ["447", ["447"]],
    ["+44 7", "prefix_unclear"],
    ["44 7781", "prefix_unclear"],
    ["7 701", "prefix_unclear"],
    ["4420,21", "prefix_unclear"],
    ["4420 4421", ["4420", "4421"]],
    ['="336"', ["336"]],
    ["'336", ["336"]],
    ["0044", ["44"]],
    ["01144", ["44"]],
    ["4477, 4478;4479", ["4477", "4478", "4479"]],
    ["447700-447709", ["44770"]],
    ["49172 - 49174", ["49172", "49173", "49174"]],
    ["200-299", ["2"]],
    ["", "prefix_missing"],
    ["4.47E+11", "prefix_scientific"],
    ["4,47E+11", "prefix_scientific"],
    ["82-01", "prefix_form"],
    ["49174-49172", "prefix_form"],
    ["93-70", ["9370"]],
    ["20-50", ["2050"]],
    ["1-242", ["1242"]],
    ["33-6, 33-7", ["336", "337"]],
    ["351-352", "prefix_unclear"],
    ["7,701", "prefix_unclear"],
    ["447,448", "prefix_unclear"],
    ["447,700", "prefix_unclear"],
    ["4477.0", "prefix_scientific"],
    ["44(77)", "prefix_form"],
    ["0", "prefix_form"],
    ["Germany", "prefix_form"],
    ["1234567890123456", "prefix_form"],
    ["10000000-99999999", "prefix_range"],
  ])("%j is %j", (cell, expected) => {
    expect(readPrefixes(cell)).toEqual(expected);
  });

  test("a range becomes prefixes that cover each of its numbers once and no others", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 9999 }), fc.integer({ min: 0, max: 400 }), (first, more) => {
        const last = Math.min(9999, first + more);
        const prefixes = readPrefixes(`${first}-${last}`) as string[];
        const reached = Array.from({ length: 10_000 }, (_, number) => String(number)).filter(
          (number) => number.length === 4 && prefixes.filter((prefix) => number.startsWith(prefix)).length === 1,
        );
        expect(reached.map(Number)).toEqual(Array.from({ length: last - first + 1 }, (_, index) => first + index));
      }),
      { numRuns: 40 },
    );
  });
});
