import { afterEach, describe, expect, test } from "vitest";
import {
  formatBalance,
  formatCount,
  formatDateTime,
  formatDuration,
  formatMinutes,
  formatMoney,
  formatSigned,
  formatTimer,
  formatWholeDollars,
} from "./format.ts";
import { i18n, countryName, leftToRight } from "./i18n.ts";
import arabic from "@farline/texts/ar/common.json";
import { languages } from "@farline/domain/languages.ts";

const NOT_LATIN_DIGIT = /(?![0-9])\p{Nd}/u;

afterEach(async () => {
  await i18n.changeLanguage("en");
});

describe.each(languages)("in %s", (language) => {
  test("every formatted number has Latin digits only and loses none", async () => {
    await i18n.changeLanguage(language);
    const texts = [
      formatMoney("1234567.805961", 6),
      formatWholeDollars(1000),
      formatBalance("24.609999"),
      formatSigned("0.807", "debit", 4),
      formatCount(1050),
      formatTimer(252),
      formatDateTime("2026-05-18T12:00:00.000Z"),
    ];
    for (const text of texts) expect(text).not.toMatch(NOT_LATIN_DIGIT);
    expect(texts[0]?.replace(/\D/g, "")).toBe("1234567805961");
    expect(texts[2]).toContain("$");
  });
});

test("a balance names the currency once, as the language does", async () => {
  const balances: Record<string, string> = {
    en: "USD $24.60",
    es: "USD $24.60",
    fr: "24,60\u00a0$US",
    hi: "USD $24.60",
    ar: "\u2067\u200f24.60\u00a0\u2066US$\u2069\u2069",
  };
  for (const language of languages) {
    await i18n.changeLanguage(language);
    expect(formatBalance("24.609999")).toBe(balances[language]);
  }
});

test("French puts the sign last and uses a comma, Hindi groups by lakhs", async () => {
  await i18n.changeLanguage("fr");
  expect(formatMoney("1234.5")).toBe("1\u202f234,50\u00a0$");
  await i18n.changeLanguage("hi");
  expect(formatMoney("1234567.8")).toBe("$12,34,567.80");
});

test("in Arabic a number is isolated, so that the text around it cannot reorder it; money reads from the right", async () => {
  await i18n.changeLanguage("ar");
  expect(formatSigned("0.807", "debit", 4)).toBe("\u2067\u200f\u200e−0.8070\u00a0\u2066US$\u2069\u2069");
  expect(formatSigned("20", "credit", 4)).toBe("\u2067\u200f\u200e+20.0000\u00a0\u2066US$\u2069\u2069");
  expect(formatTimer(252)).toBe("\u206604:12\u2069");
});

test.each([
  [1, "دقيقة واحدة"],
  [2, "دقيقتان"],
  [4, "4 دقائق"],
  [47, "47 دقيقة"],
  [100, "100 دقيقة"],
])("in Arabic, %i minutes have the noun's form for their number", async (minutes, text) => {
  i18n.addResourceBundle("ar", "common", arabic);
  await i18n.changeLanguage("ar");
  expect(formatMinutes(minutes)).toBe(text);
  expect(formatDuration(minutes * 60)).toBe(text);
});

test("a country's name is in the user's language; our own codes keep theirs", async () => {
  expect(countryName("DE", "Germany")).toBe("Germany");
  await i18n.changeLanguage("es");
  expect(countryName("DE", "Germany")).toBe("Alemania");
  expect(countryName("XA", "Satellite phones")).toBe("Satellite phones");
  expect(countryName("ZZ9", "Nowhere")).toBe("Nowhere");
});

test("a name in letters of the other direction is isolated in a sentence; other values stay as they are", async () => {
  i18n.addResourceBundle("ar", "common", arabic);
  const saved = (name: string) => i18n.t("contact.saveName", { name });
  expect(saved("Anna (work)")).toBe("Save Anna (work) as a contact");
  expect(saved("أحمد (العمل)")).toBe("Save \u2068أحمد (العمل)\u2069 as a contact");
  await i18n.changeLanguage("ar");
  expect(saved("24h Taxi (Anna)")).toContain(" \u206824h Taxi (Anna)\u2069 ");
  expect(saved("أحمد (العمل)")).toContain(" أحمد (العمل) ");
  expect(saved(leftToRight("+44 20 7946 0018"))).toContain(" \u2066+44 20 7946 0018\u2069 ");
});
