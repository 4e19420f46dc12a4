import type { Language } from "@farline/contract/languages.ts";

const MINUS = "\u2212";
const LEFT_TO_RIGHT_ISOLATE = "\u2066";
const POP_DIRECTIONAL_ISOLATE = "\u2069";

/**
 * How each language writes dollars and counts, always in Latin digits. Spanish is written as in the Americas, where most
 * who read it here live; in Arabic the sign stands before the figure, as on the pages' own money fields.
 */
export const figureLocales: Readonly<Record<Language, string>> = {
  en: "en-US",
  es: "es-US",
  fr: "fr",
  hi: "hi",
  ar: "en-US",
};

/** Making one costs far more than using it, and a list of calls needs the same few again and again. */
const formats = new Map<string, Intl.NumberFormat>();

function dollarFormat(language: Language, decimals: number): Intl.NumberFormat {
  const key = `${language} ${decimals}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(figureLocales[language], {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    numberingSystem: "latn",
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
  });
  formats.set(key, made);
  return made;
}

/** An exact decimal text with the dollar sign and group marks of the language; no digit is added or lost. */
export function moneyText(decimal: string, language: Language): string {
  const decimals = decimal.split(".")[1]?.length ?? 0;
  return dollarFormat(language, decimals)
    .format(decimal as `${number}`)
    .replace("-", MINUS);
}

/**
 * Keeps a figure (a phone number, a price, a timer) in its left-to-right order inside right-to-left text, also within a
 * sentence of a catalogue, where no element can be put around it (Unicode UAX #9, isolates).
 */
export function isolateFigure(text: string, language: Language): string {
  return language === "ar" ? `${LEFT_TO_RIGHT_ISOLATE}${text}${POP_DIRECTIONAL_ISOLATE}` : text;
}
