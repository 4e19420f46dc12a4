import { writing, type Language } from "@farline/domain/languages.ts";
import { readSetting, setPageCookie, writeSetting } from "../browser/storage.ts";
import { browserLocales } from "../browser/reader-locale.ts";

/** Storage key of the language that the user chose. */
const LANGUAGE_KEY = "language";

export function isLanguage(value: string | null | undefined): value is Language {
  return value !== null && value !== undefined && Object.hasOwn(writing, value);
}

/** The language the user chose, else the browser's first supported language, else English. */
export function chooseLanguage(remembered: string | null, preferred: readonly string[]): Language {
  if (isLanguage(remembered)) return remembered;
  return preferred.map((tag) => tag.toLowerCase().split("-")[0]).find(isLanguage) ?? "en";
}

/** The language this browser's page opens in. */
export function openingLanguage(): Language {
  return chooseLanguage(readSetting(LANGUAGE_KEY), browserLocales().map(String));
}

/** Remembers the user's choice for the app, and in a cookie for server-rendered pages. */
export function rememberLanguage(language: Language): void {
  writeSetting(LANGUAGE_KEY, language);
  setPageCookie("language", language);
}

/** Safari forgets cookies that scripts have set after seven days: the next page would be drawn in the browser's language again. */
export function renewLanguageCookie(): void {
  const chosen = readSetting(LANGUAGE_KEY);
  if (isLanguage(chosen)) setPageCookie("language", chosen);
}

/** Sets the document's language and direction for the browser and screen readers. */
export function markDocument(language: Language): void {
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
}

export function directionOf(language: string): "ltr" | "rtl" {
  return isLanguage(language) ? writing[language].direction : "ltr";
}
