import { languages } from "@farline/domain/languages.ts";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ClockTexts, differenceText } from "./live-clock.ts";

function textsOf(language: string): ClockTexts {
  const file = new URL(`../../../../texts/${language}/rates.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { country: ClockTexts }).country;
}

describe("the difference to the reader's time", () => {
  test.each([
    ["en", 0, "The same time as yours"],
    ["en", 60, "1 hour ahead of you"],
    ["en", 330, "5 h 30 min ahead of you"],
    ["en", -480, "8 hours behind you"],
    ["ar", 120, "متقدم عليك بـ ساعتين"],
    ["ar", 180, "متقدم عليك بـ 3 ساعات"],
    ["ar", -660, "متأخر عنك بـ 11 ساعة"],
  ])("in %s, %i minutes", (language, minutes, text) => {
    expect(differenceText(minutes, textsOf(language), language)).toBe(text);
  });

  test("has a text in every language for every possible difference", () => {
    for (const language of languages)
      for (let minutes = -26 * 60; minutes <= 26 * 60; minutes += 15)
        expect(differenceText(minutes, textsOf(language), language)).toMatch(/^[^{}]+$/);
  });
});
