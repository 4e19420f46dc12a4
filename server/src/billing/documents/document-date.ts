import { writing, type Language } from "@farline/domain/languages.ts";

const FORMAT_OPTIONS = { timeZone: "UTC", numberingSystem: "latn", calendar: "gregory" } as const;

interface Formats {
  readonly date: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
  readonly month: Intl.DateTimeFormat;
}

const known = new Map<Language, Formats>();

function formatsOf(language: Language): Formats {
  const locale = writing[language].dates;
  const formats = known.get(language) ?? {
    date: new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric", ...FORMAT_OPTIONS }),
    time: new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...FORMAT_OPTIONS }),
    month: new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", ...FORMAT_OPTIONS }),
  };
  known.set(language, formats);
  return formats;
}

/** "18 May 2026" */
export function dateText(instant: Date, language: Language): string {
  return formatsOf(language).date.format(instant);
}

/** "18 May 2026, 19:42 UTC" */
export function timeText(instant: Date, language: Language): string {
  const { date, time } = formatsOf(language);
  return `${date.format(instant)}, ${time.format(instant)} UTC`;
}

/** "May 2026" */
export function monthText(instant: Date, language: Language): string {
  return formatsOf(language).month.format(instant);
}
