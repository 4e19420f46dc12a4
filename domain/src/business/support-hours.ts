import { isTimeZone } from "../wall-clock.ts";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const MAX_SPANS = 4;
const SPAN = /^([a-z]{3})(?:-([a-z]{3}))? ([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** When people answer customers: days from 1 (Monday) to 7, with minutes after midnight, in an IANA time zone. */
export interface SupportHours {
  readonly spans: readonly {
    readonly first_day: number;
    readonly last_day: number;
    readonly from_minute: number;
    readonly to_minute: number;
  }[];
  readonly time_zone: string;
}

/** Reads hours such as "mon-fri 09:00-18:00, sat 10:00-14:00 Europe/London"; null if they are not written like that. */
export function parseSupportHours(text: string): SupportHours | null {
  const [, spans = "", timeZone = ""] = /^(.*) ([A-Za-z_+\-/\d]{3,40})$/.exec(text.trim()) ?? [];
  const read = spans.split(",").map((span) => readSpan(span.trim()));
  const known = read.filter((span) => span !== null);
  if (known.length < read.length || known.length > MAX_SPANS || !isTimeZone(timeZone)) return null;
  return { spans: known, time_zone: timeZone };
}

function readSpan(text: string): SupportHours["spans"][number] | null {
  const [, first = "", last = first, ...figures] = SPAN.exec(text) ?? [];
  const [firstDay, lastDay] = [dayOf(first), dayOf(last)];
  const [fromHour = 0, fromMinutes = 0, toHour = 0, toMinutes = 0] = figures.map(Number);
  const [from, to] = [fromHour * 60 + fromMinutes, toHour * 60 + toMinutes];
  if (firstDay === 0 || lastDay < firstDay || to <= from) return null;
  return { first_day: firstDay, last_day: lastDay, from_minute: from, to_minute: to };
}

/** 0 for an unknown day. */
function dayOf(name: string): number {
  return (DAYS as readonly string[]).indexOf(name) + 1;
}
