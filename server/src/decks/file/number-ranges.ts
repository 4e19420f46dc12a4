import { plainCell } from "./deck-values.ts";
import { callingCodeOf, isCallingCode } from "../plan/numbering-plan.ts";

/** A larger range is probably a typing error. */
const MAX_IN_RANGE = 10_000n;
const SEPARATORS = /[,;\s]+/;
/** "93-70": a calling code, a hyphen and the rest. As a range it would cover several countries. */
const HYPHENATED = /^(\+?\d{1,4})-(\d{1,12})$/;
/** "7,701": a list, or a number with a thousands separator? */
const THOUSANDS = /^\+?\d{1,3}(?:[,.'\u00A0\u202F ]\d{3})+$/;
/** Of area codes, "212,213" is a list. */
const SHORT_THOUSANDS = /^\d{1,2}(?:,\d{3})+$/;
const RANGE = /^(\d{3,15})-(\d{3,15})$/;
/** Digits before a space and more digits. */
const BEFORE_SPACE = /(?<![\d-])(\+?\d+)[ \t\u00A0]+(?=\d)/g;
const PREFIX = /^[1-9]\d{0,14}$/;
const CALLING_CODE = /^(?:\+|00)?([1-9]\d{0,3})$/;
const AREA_CODES = /^\d{1,12}(?:-\d{1,12})?$/;
const SCIENTIFIC = /\de[+-]?\d|\d\.\d/i;
/** More than a country's complete numbering plan needs. */
const MAX_IN_CELL = 20_000;

/** Why a cell cannot be read as prefixes. */
export type PrefixProblem = "prefix_missing" | "prefix_scientific" | "prefix_form" | "prefix_range" | "prefix_unclear";

/**
 * Reads a cell of prefixes: one, a list, or ranges such as `49172-49174`, each with or without `+`, `00` or `011`. A hyphen after a
 * calling code joins it with the rest (`93-70`). Refuses a space there, a list over several calling codes (`4420, 21` may mean 4421), and
 * what may be one number with thousands separators (`7,701`).
 * @returns the fewest prefixes that cover them, as E.164 digits without the plus
 */
export function readPrefixes(cell: string): readonly string[] | PrefixProblem {
  const text = plainCell(cell).replaceAll(/\s*[-–]\s*/g, "-");
  const parts = text.split(SEPARATORS).filter((part) => part !== "");
  if (parts.length === 0) return "prefix_missing";
  if (parts.length > 1 && THOUSANDS.test(text)) return "prefix_unclear";
  const prefixes: string[] = [];
  for (const part of parts) {
    const read = readPart(part);
    if (typeof read === "string") return read;
    prefixes.push(...read);
    if (prefixes.length > MAX_IN_CELL) return "prefix_range";
  }
  // A copy has no spare room, of which `push` leaves 120 bytes for each of a million rows.
  return parts.length > 1 && isUnclearList(text, parts) ? "prefix_unclear" : [...prefixes];
}

/** Reads the area codes of a calling code: a list, or ranges. An empty cell means the whole country. */
export function readAreaCodes(callingCode: string, cell: string): readonly string[] | PrefixProblem {
  const calling = CALLING_CODE.exec(plainCell(callingCode))?.[1];
  if (calling === undefined) return callingCode.trim() === "" ? "prefix_missing" : "prefix_form";
  const text = plainCell(cell).replaceAll(/\s*[-–]\s*/g, "-");
  if (SCIENTIFIC.test(text)) return "prefix_scientific";
  const parts = text.split(SEPARATORS).filter((part) => part !== "");
  if (parts.length === 0) return [calling];
  if (!parts.every((part) => AREA_CODES.test(part))) return "prefix_form";
  if (SHORT_THOUSANDS.test(text)) return "prefix_unclear";
  return readPrefixes(
    parts
      .map((part) =>
        part
          .split("-")
          .map((end) => calling + end)
          .join("-"),
      )
      .join(","),
  );
}

function isUnclearList(text: string, parts: readonly string[]): boolean {
  if (new Set(parts.map((part) => callingCodeOf(withoutAccessCode(part)))).size > 1) return true;
  // "7 701" and "1 876" are a calling code followed by an area code.
  return [...text.matchAll(BEFORE_SPACE)].some(([, digits = ""]) => isCallingCode(withoutAccessCode(digits)));
}

function readPart(part: string): readonly string[] | PrefixProblem {
  // Spreadsheets write long prefixes as 4.47E+11, which loses the last digits.
  if (SCIENTIFIC.test(part)) return "prefix_scientific";
  const split = readHyphenated(part);
  if (split !== null) return split;
  const range = RANGE.exec(part);
  if (range === null) {
    const prefix = withoutAccessCode(part);
    return PREFIX.test(prefix) ? [prefix] : "prefix_form";
  }
  const [first, last] = [withoutAccessCode(range[1] ?? ""), withoutAccessCode(range[2] ?? "")];
  if (first.length !== last.length || !PREFIX.test(first) || !PREFIX.test(last)) return "prefix_form";
  const size = BigInt(last) - BigInt(first) + 1n;
  if (size < 1n) return "prefix_form";
  return size > MAX_IN_RANGE ? "prefix_range" : coveringPrefixes(BigInt(first), BigInt(last));
}

/** Joins a calling code and the rest of a prefix; null if the part before the hyphen is no calling code. */
function readHyphenated(part: string): readonly string[] | PrefixProblem | null {
  const [, first = "", rest = ""] = HYPHENATED.exec(part) ?? [];
  const calling = first.replace("+", "");
  if (!isCallingCode(calling)) return null;
  // "351-352" may be two countries.
  if (rest.length === 3 && isCallingCode(rest) && calling.length === 3) return "prefix_unclear";
  return rest.startsWith("0") ? "prefix_form" : [calling + rest];
}

/** Removes the access codes `00` and `011`. No E.164 number begins with 0. */
function withoutAccessCode(text: string): string {
  return text.replace(/^(?:\+|00|011)/, "");
}

/** The fewest prefixes that cover all numbers from `first` to `last`, which have the same number of digits. */
function coveringPrefixes(first: bigint, last: bigint): readonly string[] {
  const prefixes: string[] = [];
  for (let at = first; at <= last;) {
    let size = 1n;
    while (at % (size * 10n) === 0n && at + size * 10n - 1n <= last && at / (size * 10n) > 0n) size *= 10n;
    prefixes.push(String(at / size));
    at += size;
  }
  return prefixes;
}
