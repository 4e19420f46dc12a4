import { i18n } from "./i18n.ts";

/** What a browser may be asked for. X codes are our own, for numbers that belong to no country; XK is Kosovo everywhere. */
const ISO_CODE = /^(?!X[^K])[A-Z]{2}$/;

let names: { readonly language: string; readonly of: (code: string) => string | undefined } | null = null;

/** A country's name in the reader's language; the English name where the browser knows none. @param code ISO 3166-1 alpha-2 */
export function countryName(code: string, englishName: string): string {
  const { language } = i18n;
  if (language === "en" || !ISO_CODE.test(code)) return englishName;
  if (names?.language !== language) {
    const list = new Intl.DisplayNames(language, { type: "region", fallback: "none" });
    names = { language, of: (one) => list.of(one) };
  }
  return names.of(code) ?? englishName;
}
