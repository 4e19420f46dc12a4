import { i18n } from "./i18n.ts";
import { localCountryName } from "./local-country-name.ts";

/** A country's name in the language the app is in; the English name where none is known. @param code ISO 3166-1 alpha-2 */
export function countryName(code: string, englishName: string): string {
  return localCountryName(i18n.language, code, englishName);
}
