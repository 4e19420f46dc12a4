import { useEffect, useSyncExternalStore } from "react";
import { createListeners } from "../../browser/listeners.ts";
import { readSetting, writeSetting } from "../../browser/storage.ts";

/** Sets the document's title, for the browser tab and screen readers. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} | Farline operators`;
  }, [title]);
}

/** The zone of logs, and of the console until an operator chooses their own. */
export const UTC = "UTC";
const ZONE = "farline-console-zone";
const OWN = "own";
const { notify, subscribe } = createListeners();
let ownClock: boolean | null = null;

/** The IANA name of the time zone in which the console writes times: UTC, or this machine's if the operator chose it here. */
export function zoneInForce(): string {
  ownClock ??= readSetting(ZONE) === OWN;
  return ownClock ? ownZone() : UTC;
}

/** The IANA name of this machine's time zone. */
export function ownZone(): string {
  return new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
}

/** Remembers in this browser whether times are written in its own zone. */
export function chooseZone(own: boolean): void {
  ownClock = own;
  writeSetting(ZONE, own ? OWN : null);
  notify();
}

/** The zone in force; whoever renders with it renders again when another is chosen. */
export function useZone(): string {
  return useSyncExternalStore(subscribe, zoneInForce);
}

/** A time as operators compare it with logs: "2026-11-26 08:30:05 UTC". @param instant ISO 8601 */
export function utcText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
}

/** A time in the zone in force: "2026-11-26 08:30:05 UTC", "2026-11-26 03:30:05 GMT-5". @param instant ISO 8601 */
export function timeText(instant: string): string {
  const zone = zoneInForce();
  if (zone === UTC) return utcText(instant);
  const at = clockParts(Date.parse(instant), zone);
  return `${at.date} ${at.time} ${at.name}`;
}

/** A time in a message that cannot be pointed at: in the zone in force, and in UTC beside it if that is another. @param instant ISO 8601 */
export function saidTime(instant: string): string {
  const text = timeText(instant);
  return zoneInForce() === UTC ? text : `${text} (${utcText(instant)})`;
}

interface ClockParts {
  /** "2026-11-26" */
  readonly date: string;
  /** "08:30:05" */
  readonly time: string;
  /** Of the zone then: "BST", "GMT-5". */
  readonly name: string;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** What a clock of a zone shows. @param atMs milliseconds since 1970 @param zone IANA name */
export function clockParts(atMs: number, zone: string): ClockParts {
  const format = formatters.get(zone) ?? formatterOf(zone);
  formatters.set(zone, format);
  const { year, month, day, hour, minute, second, timeZoneName } = Object.fromEntries(
    format.formatToParts(atMs).map(({ type, value }) => [type, value] as const),
  ) as Record<Intl.DateTimeFormatPartTypes, string>;
  return { date: `${year}-${month}-${day}`, time: `${hour}:${minute}:${second}`, name: timeZoneName };
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const [two, numeric] = ["2-digit", "numeric"] as const;
  const day = { year: numeric, month: two, day: two };
  const time = { hour: two, minute: two, second: two, hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat("en-GB", { timeZone, ...day, ...time, timeZoneName: "short" });
}
