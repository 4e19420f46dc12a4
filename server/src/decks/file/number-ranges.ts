/** More numbers than this in one range are a typing error. */
const MOST_IN_RANGE = 10_000n;
const SEPARATORS = /[,;\s]+/;
const RANGE = /^(\d{3,15})-(\d{3,15})$/;
const PREFIX = /^[1-9]\d{0,14}$/;
const SCIENTIFIC = /\de[+-]?\d|\d\.\d/i;
/** A country writes its whole numbering plan in fewer. */
const MOST_IN_CELL = 20_000;

/** Why a cell holds no prefixes. */
export type PrefixProblem = "prefix_missing" | "prefix_scientific" | "prefix_form" | "prefix_range";

/**
 * Reads a cell of prefixes: one, a list, or ranges such as `49172-49174`, each with or without `+`, `00` or `011`.
 * A hyphen between parts of unlike length may join a country and an area code instead, so it is refused.
 * @returns the fewest prefixes that cover them, digits of E.164 numbers without the plus
 */
export function readPrefixes(cell: string): readonly string[] | PrefixProblem {
  const parts = cell
    .replaceAll(/\s*[-–]\s*/g, "-")
    .split(SEPARATORS)
    .filter((part) => part !== "");
  if (parts.length === 0) return "prefix_missing";
  const prefixes: string[] = [];
  for (const part of parts) {
    const read = readPart(part);
    if (typeof read === "string") return read;
    prefixes.push(...read);
    if (prefixes.length > MOST_IN_CELL) return "prefix_range";
  }
  return prefixes;
}

function readPart(part: string): readonly string[] | PrefixProblem {
  // A spreadsheet writes a long prefix as 4.47E+11, and its last digits are lost.
  if (SCIENTIFIC.test(part)) return "prefix_scientific";
  const range = RANGE.exec(part);
  if (range === null) {
    const prefix = withoutAccessCode(part);
    return PREFIX.test(prefix) ? [prefix] : "prefix_form";
  }
  const [first, last] = [withoutAccessCode(range[1] ?? ""), withoutAccessCode(range[2] ?? "")];
  if (first.length !== last.length || !PREFIX.test(first) || !PREFIX.test(last)) return "prefix_form";
  const size = BigInt(last) - BigInt(first) + 1n;
  if (size < 1n) return "prefix_form";
  return size > MOST_IN_RANGE ? "prefix_range" : coveringPrefixes(BigInt(first), BigInt(last));
}

/** No E.164 number begins with 0, so `00` and `011` are what is dialled before one. */
function withoutAccessCode(text: string): string {
  return text.replace(/^(?:\+|00|011)/, "");
}

/** The fewest prefixes of all numbers from `first` to `last`, which have the same number of digits. */
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
