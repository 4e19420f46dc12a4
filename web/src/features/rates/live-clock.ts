import { offsetMinutes } from "@farline/domain/wall-clock.ts";
import { every } from "../../time/timers.ts";
import { readerLocale } from "../../browser/reader-locale.ts";
import { fillText } from "../../text/fill-text.ts";

const TICK_MS = 1_000;

/** Texts for the difference to the reader's time; `{{…}}` as in the catalogues, hours by plural category. */
export type ClockTexts = Readonly<Record<string, string>>;

/**
 * Keeps the clock of a country's page running: the local time, and the difference to the reader's. A page that only has a
 * clock does not need React.
 */
export function runClock(): void {
  const time = document.querySelector<HTMLElement>("[data-clock]");
  const line = document.querySelector<HTMLElement>("[data-clock-texts]");
  if (time === null || line === null) return;
  const { lang } = document.documentElement;
  const timeZone = time.dataset["clock"] ?? "UTC";
  const texts = JSON.parse(line.dataset["clockTexts"] ?? "{}") as ClockTexts;
  const clock = new Intl.DateTimeFormat(readerLocale(lang), {
    timeZone,
    hour: "numeric",
    minute: "2-digit",
    numberingSystem: "latn",
  });
  const weekday = new Intl.DateTimeFormat(lang, { timeZone, weekday: "long" });
  const show = () => {
    // oxlint-disable-next-line farline/one-clock -- this page makes no request, and shows the time beside the reader's own clock
    const now = new Date();
    write(time, clock.format(now));
    write(
      line,
      `${weekday.format(now)}. ${differenceText(offsetMinutes(timeZone, now) + now.getTimezoneOffset(), texts, lang)}.`,
    );
  };
  show();
  every(TICK_MS, show);
}

/** @param minutes how far the local time is ahead of the reader's; negative if behind */
export function differenceText(minutes: number, texts: ClockTexts, language: string): string {
  if (minutes === 0) return texts["sameTime"] ?? "";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const plural = `hours_${new Intl.PluralRules(language).select(hours)}`;
  const duration = fillText(texts[rest === 0 ? plural : "hoursMinutes"], { count: hours, hours, minutes: rest });
  return fillText(texts[minutes > 0 ? "ahead" : "behind"], { duration });
}

/** Writes to the DOM only when the text changes. */
function write(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}
