import { expect, test } from "vitest";
import { preferredLanguage, say } from "./say.ts";

test.each([
  [undefined, "en"],
  ["", "en"],
  ["fr", "fr"],
  ["fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr"],
  ["de, es;q=0.5, ar;q=0.7", "ar"],
  ["en;q=0.5, hi", "hi"],
  ["fr; q=0.9, en; q=0.8", "fr"],
  ["en ; q=0.8 , fr ; q=0.9", "fr"],
  ["EN;Q=0.2, FR-ca;Q=0.3", "fr"],
  ["*", "en"],
  ["ar;q=0.2, *;q=0.1", "ar"],
  ["es;q=0, fr;q=0.1", "fr"],
  ["de-DE", "en"],
  [";;;,,,q=1", "en"],
  ["x".repeat(10_000), "en"],
])("the header %j selects %s", (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

test("only a supported language is selected", () => {
  expect(preferredLanguage("fr, es;q=0.5", ["en", "es"])).toBe("es");
});

test("a country has the article that English gives it", () => {
  const said = (country: string) => say("number_renumbered", { country, year: 2018 }).message;
  expect(said("United Arab Emirates")).toBe("This is an old number. Numbers in the United Arab Emirates changed in 2018.");
  expect(said("Ghana")).toContain("in Ghana changed");
});
