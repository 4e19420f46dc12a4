import { expect, test } from "vitest";
import { monthsBetween } from "./months-between.ts";

test("months are listed from the last to the first, across the turn of a year", () => {
  expect(monthsBetween("2025-11", "2026-02")).toEqual(["2026-02", "2026-01", "2025-12", "2025-11"]);
  expect(monthsBetween("2026-02", "2026-02")).toEqual(["2026-02"]);
});

test("the list has a maximum length, whatever the first month is", () => {
  expect(monthsBetween("0000-01", "2026-02")).toHaveLength(120);
  expect(monthsBetween("2027-01", "2026-02")).toEqual([]);
});
