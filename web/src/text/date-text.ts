import { type Language, writing } from "@farline/domain/languages.ts";

/** A day in words, independent of the machine's locale: "1 January 2026". @param instant ISO 8601 */
export function dateText(instant: string, language: string): string {
  const { dates } = writing[language as Language];
  return new Intl.DateTimeFormat(dates, { dateStyle: "long", timeZone: "UTC" }).format(new Date(instant));
}
