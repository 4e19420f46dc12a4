import { languages } from "@farline/domain/languages.ts";
import { afterEach, expect, test, vi } from "vitest";
import { memoryStorage } from "../../test/memory-storage.ts";
import { chooseLanguage, directionOf, renewLanguageCookie } from "./language.ts";

afterEach(() => vi.unstubAllGlobals());

test("a lost cookie is renewed with the chosen language, and no other becomes a choice", () => {
  const storage = memoryStorage();
  const page = { cookie: "" };
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("document", page);
  renewLanguageCookie();
  storage.setItem("language", "tlh");
  renewLanguageCookie();
  expect(page.cookie).toBe("");
  storage.setItem("language", "ar");
  renewLanguageCookie();
  expect(page.cookie).toMatch(/^language=ar;/);
});

test("the user's choice takes precedence over the browser's languages", () => {
  expect(chooseLanguage("hi", ["fr-FR", "en"])).toBe("hi");
});

test("the browser's first supported language is used, whatever its region", () => {
  expect(chooseLanguage(null, ["de-DE", "FR-ca", "es"])).toBe("fr");
  expect(chooseLanguage(null, ["ar-EG"])).toBe("ar");
});

test("without a supported language, or with an invalid stored one, it is English", () => {
  expect(chooseLanguage(null, [])).toBe("en");
  expect(chooseLanguage("tlh", ["de"])).toBe("en");
  expect(chooseLanguage("constructor", ["toString"])).toBe("en");
});

test("Arabic is read from right to left, the others from left to right", () => {
  expect(languages.filter((language) => directionOf(language) === "rtl")).toEqual(["ar"]);
});
