import { printableText } from "./text/clean-text.ts";

/** E.164, also URL-encoded. */
const NUMBER = /(?:\+|%2B)\d{7,15}/gi;
const EMAIL = /[^\s@<>"'(),;:=]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/g;
/** Deeper values are not logged. */
const MAX_DEPTH = 6;

/** "+447400123456" becomes "+44******456": enough to distinguish calls, too little to call the person. */
export function maskNumber(number: string): string {
  return number.length < 8 ? "***" : `${number.slice(0, 3)}******${number.slice(-3)}`;
}

/**
 * Makes a text fit for logs: masks phone numbers and the local parts of email addresses, and replaces terminal control characters by
 * spaces.
 */
export function loggable(text: string): string {
  return printableText(text.replace(NUMBER, maskNumber).replace(EMAIL, "***@$1"));
}

/**
 * Applies `loggable` to every text in a log line's fields, because logs outlive erasures. Errors are masked where they are written
 * (`describeError`).
 */
export function maskFields(fields: Record<string, unknown>): Record<string, unknown> {
  return maskValue(fields, 0) as Record<string, unknown>;
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return loggable(value);
  if (Array.isArray(value)) return depth < MAX_DEPTH ? value.map((inner) => maskValue(inner, depth + 1)) : "[…]";
  if (!isPlain(value)) return value;
  if (depth >= MAX_DEPTH) return "{…}";
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskValue(inner, depth + 1)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
