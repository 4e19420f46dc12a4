import { languages as known } from "@farline/contract/constants.ts";
import { expect, test } from "vitest";
import { chooseLanguage, directionOf, languages } from "./language.ts";

test("the app speaks every language the service knows, and no other", () => {
  expect(languages.toSorted()).toEqual([...known].toSorted());
});

test("a choice by hand counts more than the browser", () => {
  expect(chooseLanguage("hi", ["fr-FR", "en"])).toBe("hi");
});

test("the first of the browser's languages that the app speaks is spoken, whatever its region", () => {
  expect(chooseLanguage(null, ["de-DE", "FR-ca", "es"])).toBe("fr");
  expect(chooseLanguage(null, ["ar-EG"])).toBe("ar");
});

test("without a language in common, or with a broken memory, it is English", () => {
  expect(chooseLanguage(null, [])).toBe("en");
  expect(chooseLanguage("tlh", ["de"])).toBe("en");
  expect(chooseLanguage("constructor", ["toString"])).toBe("en");
});

test("Arabic is read from right to left, the others from left to right", () => {
  expect(languages.filter((language) => directionOf(language) === "rtl")).toEqual(["ar"]);
});
