import { expect, test } from "vitest";
import { fontRuns } from "./pdf-fonts.ts";
import { directionOf, rightToLeftRuns, visualOrder } from "./right-to-left.ts";

/** The runs of a line in visual order from left to right; within a right-to-left run, in logical order. */
async function onPaper(text: string): Promise<string[]> {
  const runs = rightToLeftRuns(await fontRuns(text)).map((run) => ({ ...run, reads: directionOf(run) }));
  return visualOrder(runs).map((run) => run.text);
}

test.each([
  ["مكالمة إلى +44 20 7946 0001", ["+44 20 7946 0001", "مكالمة إلى "]],
  ["رقم 2026-000042", ["2026-000042", "رقم "]],
  ["المدفوع (دولار أمريكي)", ["(", "دولار أمريكي", ")", "المدفوع "]],
  ["1 مايو 2026, 00:00 UTC", ["2026, 00:00 UTC", "مايو ", " ", "1"]],
  ["Grace Mensah, grace@example.com", ["Grace Mensah, grace@example.com"]],
  ["Łukasz Żak", ["Ł", "ukasz ", "Ż", "ak"]],
])("%s is laid out right to left", async (text, expected) => {
  expect(await onPaper(text)).toEqual(expected);
});
