import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

const MICRO_DECIMALS = 6;
const PRICE = /^(\d{1,7})(?:[.,](\d{1,12}))?$/;
const DOLLAR_SIGNS = /^(?:US)?\$|USD|\$$/gi;
const OTHER_CURRENCY = /[€£¥₹]|\b(?:EUR|GBP|CHF|JPY|INR|CNY|AUD|CAD)\b/i;
/** Satellite phones cost about $10 a minute. More is a price in cents, or per 1,000 minutes. */
const MOST_MICROS = 50n * MICROS_PER_DOLLAR;
const MOST_INTERVAL_SECONDS = 3_600;
const INCREMENTS = /^(\d{1,4})\s*(?:[/+:-]\s*(\d{1,4})\s*(?:[/+:-]\s*(\d{1,4})\s*)?)?$/;

export type PriceProblem = "price_missing" | "price_form" | "price_zero" | "price_too_high" | "currency";

/** Reads a price per minute in dollars, with a decimal point or comma. What is below a micro-dollar is rounded up: it is a cost. */
export function readPrice(cell: string): bigint | PriceProblem {
  const text = cell.trim();
  if (text === "") return "price_missing";
  if (OTHER_CURRENCY.test(text)) return "currency";
  const match = PRICE.exec(text.replaceAll(DOLLAR_SIGNS, "").trim());
  if (match === null) return "price_form";
  const fraction = (match[2] ?? "").padEnd(MICRO_DECIMALS, "0");
  const exact = BigInt(match[1] ?? "") * MICROS_PER_DOLLAR + BigInt(fraction.slice(0, MICRO_DECIMALS));
  const micros = /[1-9]/.test(fraction.slice(MICRO_DECIMALS)) ? exact + 1n : exact;
  if (micros === 0n) return "price_zero";
  return micros > MOST_MICROS ? "price_too_high" : micros;
}

/** Seconds of the first block and of each further one. */
export interface Increments {
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
}

export type IncrementsProblem = "increments_missing" | "increments_form" | "increments_unclear";

/**
 * Reads increments written in one text: `60/1`, `30+6`, `60-60`, `60/60/0`, `1`. The first block is not shorter than the others,
 * so `1/60` may mean either order. A third part is free seconds, which we cannot charge by unless it is 0.
 */
export function readIncrements(cell: string): Increments | IncrementsProblem {
  const text = cell.trim().toLowerCase();
  if (text === "") return "increments_missing";
  if (/^per\s*second$/.test(text)) return { firstIntervalSeconds: 1, nextIntervalSeconds: 1 };
  if (/^per\s*minute$/.test(text)) return { firstIntervalSeconds: 60, nextIntervalSeconds: 60 };
  const match = INCREMENTS.exec(text);
  if (match === null || Number(match[3] ?? 0) !== 0) return "increments_form";
  const read = checkedIncrements(Number(match[1]), Number(match[2] ?? match[1]));
  if (typeof read === "string") return read;
  return read.firstIntervalSeconds < read.nextIntervalSeconds ? "increments_unclear" : read;
}

/** Reads increments of two columns. An empty second one repeats the first. */
export function readTwoIncrements(first: string, next: string): Increments | IncrementsProblem {
  if (first.trim() === "") return next.trim() === "" ? "increments_missing" : "increments_form";
  return checkedIncrements(seconds(first), next.trim() === "" ? seconds(first) : seconds(next));
}

function seconds(text: string): number {
  return /^\s*\d{1,4}\s*$/.test(text) ? Number(text) : Number.NaN;
}

function checkedIncrements(firstIntervalSeconds: number, nextIntervalSeconds: number): Increments | IncrementsProblem {
  const whole = [firstIntervalSeconds, nextIntervalSeconds].every((one) => one >= 1 && one <= MOST_INTERVAL_SECONDS);
  return whole ? { firstIntervalSeconds, nextIntervalSeconds } : "increments_form";
}

const YES = /^(?:1|y|yes|true|x)$/i;
const CLOSED = /^(?:closed?|deleted?|d|removed?|discontinued|blocked|forbidden|s)$/i;

export function isYes(cell: string): boolean {
  return YES.test(cell.trim());
}

/** Whether a column for changes says that the destination is not sold any more. Its other words are not trusted: prices tell. */
export function saysClosed(cell: string): boolean {
  return CLOSED.test(cell.trim());
}
