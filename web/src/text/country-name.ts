import { i18n } from "./i18n.ts";
import { localCountryName } from "./local-text.ts";

/** A country's name in the app's language, or in English if unknown. @param code ISO 3166-1 alpha-2 */
export function countryName(code: string, englishName: string): string {
  return localCountryName(i18n.language, code, englishName);
}
