/**
 * The browser's regional variant of the page's language, so that dates and times read "18 May, 19:42" or "May 18, 7:42 PM", as
 * the reader writes them.
 */
export function readerLocale(language: string): string {
  const own = typeof navigator === "undefined" ? undefined : navigator.languages?.find((tag) => tag.split("-")[0] === language);
  return own ?? language;
}
