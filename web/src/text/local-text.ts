import { type Language, writing } from "@farline/domain/languages.ts";

/** A day in words, independent of the machine's locale: "1 January 2026". @param instant ISO 8601 */
export function dateText(instant: string, language: string): string {
  const { dates } = writing[language as Language];
  return new Intl.DateTimeFormat(dates, { dateStyle: "long", timeZone: "UTC" }).format(new Date(instant));
}

/** Codes that `Intl.DisplayNames` knows. X codes are ours, for numbers outside any country, except XK (Kosovo). */
const ISO_CODE = /^(?!X[^K])[A-Z]{2}$/;

const lists = new Map<string, Intl.DisplayNames>();

/** A country's name in a language, or in English if unknown. @param code ISO 3166-1 alpha-2 */
export function localCountryName(language: string, code: string, englishName: string): string {
  if (language === "en" || !ISO_CODE.test(code)) return englishName;
  let names = lists.get(language);
  if (names === undefined) lists.set(language, (names = new Intl.DisplayNames(language, { type: "region", fallback: "none" })));
  return names.of(code) ?? englishName;
}
