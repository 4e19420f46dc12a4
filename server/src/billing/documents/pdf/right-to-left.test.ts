import { expect, test } from "vitest";
import { fontRuns } from "./pdf-fonts.ts";
import { directionOf, rightToLeftRuns, visualOrder } from "./right-to-left.ts";

/** A line's runs in visual order from left to right; each right-to-left run itself is in logical order. */
async function visualRuns(text: string): Promise<string[]> {
  const runs = rightToLeftRuns(await fontRuns(text)).map((run) => ({ ...run, direction: directionOf(run) }));
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
  expect(await visualRuns(text)).toEqual(expected);
});
