import { printableText } from "./clean-text.ts";

/** E.164, also in a URL. */
const NUMBER = /(?:\+|%2B)\d{7,15}/gi;
const EMAIL = /[^\s@<>"'(),;:=]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/g;
/** Deeper values are not logged. */
const MOST_DEPTH = 6;

/** "+447400123456" becomes "+44******456": enough to tell calls apart, too little to call the person. */
export function maskNumber(number: string): string {
  return number.length < 8 ? "***" : `${number.slice(0, 3)}******${number.slice(-3)}`;
}

/**
 * A text as a log may keep it: phone numbers and the names in email addresses are masked, wherever they stand, and what controls a
 * terminal becomes a space.
 */
export function loggable(text: string): string {
  return printableText(text.replace(NUMBER, maskNumber).replace(EMAIL, "***@$1"));
}

/**
 * Makes every text in the fields of a log line `loggable`: a log outlives erasures and the shortening of numbers. Errors are
 * masked where they are written (`describeError`).
 */
export function maskFields(fields: Record<string, unknown>): Record<string, unknown> {
  return maskValue(fields, 0) as Record<string, unknown>;
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return loggable(value);
  if (Array.isArray(value)) return depth < MOST_DEPTH ? value.map((inner) => maskValue(inner, depth + 1)) : "[…]";
  if (!isPlain(value)) return value;
  if (depth >= MOST_DEPTH) return "{…}";
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskValue(inner, depth + 1)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
