/** What a browser may be asked for. X codes are our own, for numbers that belong to no country; XK is Kosovo everywhere. */
const ISO_CODE = /^(?!X[^K])[A-Z]{2}$/;

const lists = new Map<string, Intl.DisplayNames>();

/** A country's name in a language; the English name where none is known. @param code ISO 3166-1 alpha-2 */
export function localCountryName(language: string, code: string, englishName: string): string {
  if (language === "en" || !ISO_CODE.test(code)) return englishName;
  let names = lists.get(language);
  if (names === undefined) lists.set(language, (names = new Intl.DisplayNames(language, { type: "region", fallback: "none" })));
  return names.of(code) ?? englishName;
}
