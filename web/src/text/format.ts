import type { Language } from "@farline/contract/languages.ts";
import { writing } from "@farline/domain/languages.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { formatDollars, fromDecimalString, type Micros, MICROS_PER_DOLLAR, rateToDecimalString } from "@farline/domain/money.ts";
import { currentLanguage, i18n, leftToRight } from "./i18n.ts";
import { readerLocale } from "../browser/reader-locale.ts";

const MICROS_PER_CENT = 10_000n;
const MICROS_PER_4_DECIMALS = 100n;

/** Formats the service's decimal string as dollars with 2, 4 or 6 decimals: "$24.60", "$0.5964", "−$0.8070". */
export function formatMoney(dollars: string, decimals: 2 | 4 | 6 = 2): string {
  return money(formatDollars(fromDecimalString(dollars), decimals));
}

/** An amount in a list or chart: "$24.60". Amounts below a cent keep the decimals that show them: "$0.0013". */
export function formatSum(dollars: string): string {
  return money(withoutVanishing(fromDecimalString(dollars), 2));
}

/** A whole number of dollars: "$5", "$1,000". */
export function formatWholeDollars(dollars: number): string {
  return money(String(dollars));
}

/** A balance as every page shows it: "USD $24.60". */
export function formatBalance(dollars: string, currency = "USD"): string {
  const language = currentLanguage();
  const decimal = formatDollars(fromDecimalString(dollars), 2);
  return writing[language].currencyCode === "before"
    ? `${currency} ${money(decimal)}`
    : moneyText(decimal, language, { named: true });
}

/** The cost of a call, 4 decimals: "$0.5964". */
export function formatCost(dollars: string): string {
  return money(withoutVanishing(fromDecimalString(dollars), 4));
}

/** A price per minute, 4 decimals: "$0.0210". */
export function formatRate(ratePerMinute: string): string {
  return formatMoney(ratePerMinute, 4);
}

/** An exact amount, at least 4 decimals: "$0.5964", "$0.596401". For amounts that people recompute. */
export function formatExact(dollars: string): string {
  return money(rateToDecimalString(fromDecimalString(dollars)));
}

/** "$0.0210/min" */
export function formatRatePerMinute(ratePerMinute: string): string {
  return i18n.t("perMinute", { rate: formatRate(ratePerMinute) });
}

/** Whole minutes that one dollar buys, rounded down: "$1 = 47 min". Null when the rate is 0. */
export function formatDollarBuys(ratePerMinute: string): string | null {
  const rate = fromDecimalString(ratePerMinute);
  return rate === 0n ? null : i18n.t("dollarBuys", { minutes: formatMinutes(Number(MICROS_PER_DOLLAR / rate)) });
}

/** A signed amount in the transaction list: "+$20.00", "−$0.8070". */
export function formatSigned(dollars: string, type: "credit" | "debit", decimals: 2 | 4): string {
  const micros = fromDecimalString(dollars);
  return moneyText(withoutVanishing(type === "credit" ? micros : -micros, decimals), currentLanguage(), { signed: true });
}

/** A running call's duration: "04:12", and "61:05" after an hour. */
export function formatTimer(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return leftToRight(`${two(Math.floor(whole / 60))}:${two(whole % 60)}`);
}

/** A call's duration in words: "4 min 12 s", "18 min", "0 s". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  const rest = whole % 60;
  if (minutes === 0) return i18n.t("duration.seconds", { seconds: rest });
  if (rest === 0) return formatMinutes(minutes);
  return i18n.t("duration.both", { minutes: formatMinutes(minutes), seconds: rest });
}

/** Whole minutes in words: "47 min". */
export function formatMinutes(minutes: number): string {
  return i18n.t("duration.minutes", { count: minutes, formatted: formatCount(minutes) });
}

const countFormats = new Map<Language, Intl.NumberFormat>();

/** A whole number with group marks: "1,050". */
export function formatCount(count: number): string {
  const language = currentLanguage();
  const known = countFormats.get(language);
  if (known !== undefined) return known.format(count);
  const made = new Intl.NumberFormat(writing[language].figures, { numberingSystem: "latn" });
  countFormats.set(language, made);
  return made.format(count);
}

/** "18 May 2026", in the reader's date order. */
export function formatDate(instant: string): string {
  return format(instant, { day: "numeric", month: "short", year: "numeric" });
}

/** A month in words: "May 2026", or its first letter. @param month "2026-05" */
export function formatMonth(month: string, length: "long" | "narrow"): string {
  const options: Intl.DateTimeFormatOptions = length === "long" ? { month: "long", year: "numeric" } : { month: "narrow" };
  return format(`${month}-15T12:00:00.000Z`, { ...options, timeZone: "UTC" });
}

/** "18 May 2026, 19:42" */
export function formatDateTime(instant: string): string {
  return format(instant, { day: "numeric", month: "short", year: "numeric", hour: "numeric", minute: "2-digit" });
}

/** A time of day on the reader's 12-hour or 24-hour clock: "7:42 PM", "19:42". @param timeZone default: the reader's own */
export function formatTime(instant: Date, timeZone?: string): string {
  return format(instant, { timeZone, hour: "numeric", minute: "2-digit" });
}

/** "18 May 2026, 19:42:03" */
export function formatTimestamp(instant: string): string {
  return format(instant, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
  });
}

/** Constructing a formatter costs far more than using it, and a list of calls reuses the same few. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = dateFormats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(locale, { ...options, numberingSystem: "latn", calendar: "gregory" });
  dateFormats.set(key, made);
  return made;
}

function format(instant: string | Date, options: Intl.DateTimeFormatOptions): string {
  return unbrokenTime(dateFormat(readerLocale(currentLanguage()), options).formatToParts(new Date(instant)));
}

/** "7:42 PM" stays on one line. */
function unbrokenTime(parts: readonly Intl.DateTimeFormatPart[]): string {
  return parts
    .map(({ type, value }, index) => {
      const besidePeriod = type === "dayPeriod" || (type === "literal" && parts[index + 1]?.type === "dayPeriod");
      return besidePeriod ? value.replaceAll(/\s/g, "\u00a0") : value;
    })
    .join("");
}

/** Uses this many decimals, or more if a nonzero amount would otherwise show as zero. */
function withoutVanishing(micros: Micros, decimals: 2 | 4): string {
  const size = micros < 0n ? -micros : micros;
  if (size === 0n || size >= (decimals === 2 ? MICROS_PER_CENT : MICROS_PER_4_DECIMALS)) return formatDollars(micros, decimals);
  return formatDollars(micros, size >= MICROS_PER_4_DECIMALS ? 4 : 6);
}

/** Formats an exact decimal string as dollars in the app's language. */
function money(decimal: string): string {
  return moneyText(decimal, currentLanguage());
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
