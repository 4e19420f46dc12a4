import { expect, test } from "vitest";
import { dueText, isLate } from "./queue-kinds.ts";

const NOW = new Date("2026-11-26T08:00:00.000Z");

test.each([
  ["2026-11-26T08:05:59.000Z", "due in 5 min"],
  ["2026-11-26T11:00:00.000Z", "due in 3 h"],
  ["2026-11-28T07:59:59.000Z", "due in 47 h"],
  ["2026-11-29T08:00:00.000Z", "due in 3 days"],
  ["2026-11-26T07:30:00.000Z", "30 min late"],
  ["2026-11-20T08:00:00.000Z", "6 days late"],
])("%s is %s", (due, text) => {
  expect(dueText(due, NOW)).toBe(text);
  expect(isLate(due, NOW)).toBe(text.endsWith("late"));
});
