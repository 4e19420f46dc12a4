import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { currencyIn } from "./currencies.ts";

const MICRO_DECIMALS = 6;
const PRICE = /^(?=[.,]?\d)(\d{0,7})(?:[.,](\d{1,12}))?(?:E([+-]?\d{1,2}))?$/i;
const PER_MINUTE = /\s*(?:\/|\bper\b)\s*min(?:ute)?\.?$/i;
const DOLLAR_SIGNS = /^(?:US)?\s*\$|\bUSD\b|\bUS dollars?\b|(?:US)?\$$/gi;
const MAX_EXPONENT = 12;
/** Satellite phones cost about $10 a minute. A higher price is probably in cents or per 1,000 minutes. */
const MAX_MICROS = 50n * MICROS_PER_DOLLAR;
const MAX_INTERVAL_SECONDS = 3_600;
/** Markers by which spreadsheets keep digits as text. */
const TEXT_CELL = /^(?:="([^"]*)"|'(.*))$/;
const SECONDS = /(?<=\d)\s*(?:s|secs?|seconds?)\b\.?/g;
const INCREMENTS = /^(\d{1,4})\s*(?:[/+:-]\s*(\d{1,4})\s*(?:[/+:-]\s*(\d{1,4})\s*)?)?$/;

/** Removes the markers by which spreadsheets keep a cell as text: `="336"`, `'336`. */
export function plainCell(cell: string): string {
  const match = TEXT_CELL.exec(cell.trim());
  return (match?.[1] ?? match?.[2] ?? cell).trim();
}

export type PriceProblem = "price_missing" | "price_form" | "price_zero" | "price_too_high" | "currency";

/**
 * Reads a price per minute in dollars, with a decimal point or comma, also as `.0150`, `1.5E-02` or `$0.02/min`. Rounds up to a
 * micro-dollar, because it is a cost.
 */
export function readPrice(cell: string): bigint | PriceProblem {
  const text = plainCell(cell);
  if (text === "") return "price_missing";
  if (currencyIn(text) === "other") return "currency";
  const match = PRICE.exec(text.replace(PER_MINUTE, "").replaceAll(DOLLAR_SIGNS, "").trim());
  const exponent = Number(match?.[3] ?? 0);
  if (match === null || Math.abs(exponent) > MAX_EXPONENT) return "price_form";
  const [, whole = "", fraction = ""] = match;
  const shift = MICRO_DECIMALS + exponent - fraction.length;
  const digits = BigInt(whole + fraction);
  const divisor = 10n ** BigInt(Math.max(-shift, 0));
  const micros = (digits * 10n ** BigInt(Math.max(shift, 0)) + divisor - 1n) / divisor;
  if (micros === 0n) return "price_zero";
  return micros > MAX_MICROS ? "price_too_high" : micros;
}

/** Seconds of the first block and of each further one. */
export interface Increments {
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
}

export type IncrementsProblem = "increments_missing" | "increments_form" | "increments_unclear";

/**
 * Reads increments in one cell: `60/1`, `30+6`, `60-60`, `60/60/0`, `1`. The first block is never shorter than the others, so `1/60` is
 * ambiguous. A third part is free seconds, which must be 0.
 */
export function readIncrements(cell: string): Increments | IncrementsProblem {
  const text = plainCell(cell).toLowerCase().replaceAll(SECONDS, "");
  if (text === "") return "increments_missing";
  if (/^per\s*second$/.test(text)) return { firstIntervalSeconds: 1, nextIntervalSeconds: 1 };
  if (/^per\s*minute$/.test(text)) return { firstIntervalSeconds: 60, nextIntervalSeconds: 60 };
  const match = INCREMENTS.exec(text);
  if (match === null || Number(match[3] ?? 0) !== 0) return "increments_form";
  return notReversed(checkedIncrements(Number(match[1]), Number(match[2] ?? match[1])));
}

/** Reads increments from two columns. An empty second one repeats the first, and `1 | 60` is as ambiguous as in one cell. */
export function readTwoIncrements(first: string, next: string): Increments | IncrementsProblem {
  if (first.trim() === "") return next.trim() === "" ? "increments_missing" : "increments_form";
  return notReversed(checkedIncrements(seconds(first), next.trim() === "" ? seconds(first) : seconds(next)));
}

function notReversed(read: Increments | IncrementsProblem): Increments | IncrementsProblem {
  if (typeof read === "string") return read;
  return read.firstIntervalSeconds < read.nextIntervalSeconds ? "increments_unclear" : read;
}

function seconds(text: string): number {
  const digits = plainCell(text).toLowerCase().replaceAll(SECONDS, "");
  return /^\d{1,4}$/.test(digits) ? Number(digits) : Number.NaN;
}

function checkedIncrements(firstIntervalSeconds: number, nextIntervalSeconds: number): Increments | IncrementsProblem {
  const whole = [firstIntervalSeconds, nextIntervalSeconds].every((one) => one >= 1 && one <= MAX_INTERVAL_SECONDS);
  return whole ? { firstIntervalSeconds, nextIntervalSeconds } : "increments_form";
}
