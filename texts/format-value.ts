import type { Language } from "@farline/domain/languages.ts";
import { isolateForeign } from "@farline/domain/text/text-direction.ts";
import type { FormatterModule } from "i18next";

/** English names of countries that take an article in a sentence: "the United States", but "Ghana". */
const WITH_ARTICLE =
  /^(United |US |British |Central African |Dominican Rep|Czech Rep|Caribbean Neth|Neth|Phil|Baham|Gambia|Comor|Mald|Isle |Azores)|(?<!Sandwich) (Islands|Territories)$/;

/** A country's English name as sentences say it. */
function withArticle(country: string): string {
  return WITH_ARTICLE.test(country) ? `the ${country}` : country;
}

/** A value as a text asks for it: `{{country, the}}` gives "the United States". @param format after the comma, if any */
export function formatValue(value: string, format: string | undefined): string {
  return format === "the" ? withArticle(value) : value;
}

/** Lets texts format the values that they fill in, and keeps names of the other direction in their order. Other values are for i18next. */
export const valueFormatter: FormatterModule = {
  type: "formatter",
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown, format, language) =>
    typeof value === "string" ? isolateForeign(formatValue(value, format), language as Language) : (value as string),
};
