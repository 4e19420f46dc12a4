import { expect, test } from "vitest";
import { daysOf, expectedOf, isLow, usualAt } from "./hours.ts";

const from = (instant: string, hours: number, value: (index: number) => number = () => 1) => ({
  fromMs: Date.parse(instant),
  values: Array.from({ length: hours }, (_, index) => value(index)),
});

test.each([
  ["UTC", "2026-10-25T00:00:00Z", [24, 24]],
  ["Europe/London", "2026-10-24T23:00:00Z", [25, 23]],
  ["Europe/London", "2026-03-29T00:00:00Z", [23, 24, 1]],
  ["America/New_York", "2026-11-01T04:00:00Z", [25, 23]],
  ["Asia/Kolkata", "2026-11-01T19:00:00Z", [24, 24]],
])("the days of %s from %s on have %j hours", (zone, instant, lengths) => {
  expect(daysOf(from(instant, 48), zone, 5).map(({ hours }) => hours)).toEqual(lengths);
});

test("a day without calls is a day, and the days are the last ones", () => {
  const days = daysOf(
    from("2026-11-01T00:00:00Z", 72, (index) => (index < 24 ? 2 : 0)),
    "UTC",
    2,
  );
  expect(days.map(({ date, sum, first }) => [date, sum, first])).toEqual([
    ["2026-11-02", 0, 24],
    ["2026-11-03", 0, 48],
  ]);
});

test("usual is the same hour by the clock, also across a change of the clock", () => {
  // London's clock goes back on 25 October: 09:00 is 08:00 UTC before it and 09:00 UTC after it.
  const hours = from("2026-10-19T00:00:00Z", 24 * 8, (index) => (index === 8 ? 50 : 0));
  expect(usualAt(hours, 7 * 24 + 9, "Europe/London")).toBe(50);
  expect(usualAt(hours, 7 * 24 + 8, "UTC")).toBe(50);
  expect(usualAt(hours, 3, "UTC")).toBeNull();
});

test("today is expected to go on as usual", () => {
  const hours = from("2026-11-01T00:00:00Z", 24 * 7 + 12, (index) => (index < 24 * 7 ? 10 : 5));
  const today = daysOf(hours, "UTC", 1)[0]!;
  expect([today.sum, expectedOf(hours, today, "UTC")]).toEqual([60, 60 + 5 + 12 * 10]);
  expect(expectedOf(from("2026-11-01T00:00:00Z", 5), today, "UTC")).toBeNull();
});

test.each([
  [50, 100, true],
  [60, 100, false],
  [0, 19, false],
  [0, null, false],
])("%s of usually %s is low: %s", (value, usual, low) => {
  expect(isLow(value, usual)).toBe(low);
});
