const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** "18 May 2026" */
export function dateText(instant: Date): string {
  return DATE.format(instant);
}

/** "18 May 2026, 19:42 UTC" */
export function timeText(instant: Date): string {
  return `${DATE.format(instant)}, ${TIME.format(instant)} UTC`;
}

/** "May 2026" */
export function monthText(instant: Date): string {
  return MONTH.format(instant);
}
