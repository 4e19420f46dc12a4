/** A day in words, independent of the machine's locale: "1 January 2026". @param instant ISO 8601 */
export function dateText(instant: string, language: string): string {
  const locale = language === "en" ? "en-GB" : language;
  return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(instant));
}
