import { numberType } from "@farline/contract/rates.ts";
import { languages } from "@farline/domain/languages.ts";
import english from "@farline/texts/en/service.json";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeLanguage, i18n } from "./i18n.ts";
import { destinationText, messageText } from "./message-text.ts";

const { wait: _, ...texts } = english;
const SCRIPTS = { hi: /\p{Script=Devanagari}/u, ar: /\p{Script=Arabic}/u } as const;

/** A value for each placeholder of a text. */
function paramsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/\{\{(\w+)(?:, the)?\}\}/g)].map(([, name = ""]) => [name, "7"]));
}

afterAll(() => changeLanguage("en"));

describe.each(Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[])("in %s", (language) => {
  beforeAll(() => changeLanguage(language));

  test.each(Object.entries(texts))("%s is shown in the reader's language, with its values filled in", (reason, message) => {
    const text = messageText({ reason, message, params: paramsOf(message) });
    expect(text).toMatch(SCRIPTS[language]);
    expect(text).not.toContain("{{");
    for (const value of Object.values(paramsOf(message))) expect(text).toContain(value);
  });

  test("too many attempts say when to try again", () => {
    const text = messageText({
      reason: "rate_limited",
      message: "Too many attempts. Try again in 3 hours.",
      params: { wait_seconds: 10_800 },
    });
    expect(text).toMatch(SCRIPTS[language]);
    expect(text.length).toBeGreaterThan(i18n.t("service:rate_limited").length);
    expect(text).not.toContain("{{");
  });

  test("a country has its name in the reader's language", () => {
    const params = { country: "Ghana", country_code: "GH", year: 2010 };
    expect(messageText({ reason: "number_renumbered", message: "Numbers in Ghana …", params })).not.toContain("Ghana");
  });
});

test.each([
  { language: "fr", limit: "1\u202f000,00\u00a0$", missing: "0,32\u00a0$" },
  { language: "es", limit: "$1,000.00", missing: "$0.32" },
] as const)("in $language, amounts have the reader's decimal mark", async ({ language, limit, missing }) => {
  await changeLanguage(language);
  const message = "English";
  expect(messageText({ reason: "top_up_limit_day", message, params: { limit: "1000.00" } })).toContain(limit);
  expect(messageText({ reason: "credit_needed", message, params: { missing: "$0.32" } })).toContain(missing);
});

test.each([
  ["en", "Ghana Mobile MTN"],
  ["fr", "Mobile, Ghana"],
  ["es", "Móvil, Ghana"],
] as const)("in %s, the destination of a price is %s", async (language, text) => {
  await changeLanguage(language);
  const destination = {
    description: "Ghana Mobile MTN",
    number_type: "mobile",
    country_code: "GH",
    country_name: "Ghana",
  } as const;
  expect(destinationText(destination)).toBe(text);
});

test("every kind of number has a text", () => {
  for (const type of numberType.options) expect(english).toHaveProperty(`destination_${type}`);
});

test.each(languages)("in %s, an unknown reason is shown in English", async (language) => {
  await changeLanguage(language);
  expect(messageText({ reason: "not_known_here", message: "Something new." })).toBe("Something new.");
});
