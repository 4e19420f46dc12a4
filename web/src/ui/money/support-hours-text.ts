import type { Language } from "@farline/contract/languages.ts";
import type { SupportHours } from "@farline/domain/business/support-hours.ts";
import { writing } from "@farline/domain/languages.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A Monday. */
const MONDAY_MS = Date.UTC(2024, 0, 1);

/** When people answer, in a language: "Mon – Fri, 9:00 AM – 6:00 PM (United Kingdom Time)". */
export function supportHoursText({ spans, time_zone: timeZone }: SupportHours, tag: string): string {
  const language = writing[tag as Language].figures;
  const day = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
  const time = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
  const dayAt = (number: number) => new Date(MONDAY_MS + (number - 1) * DAY_MS);
  const timeAt = (minute: number) => new Date(MONDAY_MS + minute * MINUTE_MS);
  const texts = spans.map((span) =>
    [
      ...(span.first_day === span.last_day
        ? [day.format(dayAt(span.first_day))]
        : [`${day.format(dayAt(span.first_day))} – ${day.format(dayAt(span.last_day))}`]),
      `${time.format(timeAt(span.from_minute))} – ${time.format(timeAt(span.to_minute))}`,
    ].join(" "),
  );
  return `${new Intl.ListFormat(language, { type: "unit" }).format(texts)} (${zoneName(timeZone, language)})`;
}

function zoneName(timeZone: string, language: string): string {
  const parts = new Intl.DateTimeFormat(language, { timeZone, timeZoneName: "longGeneric" }).formatToParts(MONDAY_MS);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}
