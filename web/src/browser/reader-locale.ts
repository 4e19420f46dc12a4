/**
 * The browser's languages that are language tags, the reader's first. On Linux, browsers also report names of POSIX locales: `C` is left out,
 * and `en_US.UTF-8` and `en-US@posix` are read as `en-US`.
 */
export function browserLocales(): readonly Intl.Locale[] {
  if (typeof navigator === "undefined") return [];
  return (navigator.languages ?? [navigator.language]).flatMap((name) => {
    try {
      return [new Intl.Locale(name.replaceAll("_", "-").replace(/[.@].*/, ""))];
    } catch {
      return [];
    }
  });
}

/**
 * The browser's regional variant of the page's language, so that dates and times read "18 May, 19:42" or "May 18, 7:42 PM", as
 * the reader writes them.
 */
export function readerLocale(language: string): string {
  return (
    browserLocales()
      .find((locale) => locale.language === language)
      ?.toString() ?? language
  );
}

/** The country in the browser's languages, such as GH of en-GH; undefined without one. Latin America, 419, is none. */
export function browserCountry(): string | undefined {
  return browserLocales().find(({ region = "" }) => /^[A-Z]{2}$/.test(region))?.region;
}

/** The reader's time zone; UTC where the browser knows none. */
export function readerTimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone && timeZone !== "Etc/Unknown" ? timeZone : "UTC";
}
