/** An amount in millionths of a US dollar: 1 USD is 1_000_000n. All calculations use this type. */
export type Micros = bigint;

export const MICROS_PER_DOLLAR = 1_000_000n;

const MICRO_DECIMALS = 6;
const MICROS_PER_CENT = 10_000n;
/** Twelve digits before the point exceed any payment and fit into a 64-bit column. */
const TYPED_AMOUNT = /^(\d{1,12})(?:\.(\d{1,2}))?$/;
const DECIMAL = /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/;

/**
 * Parses user input or a client's value: dollars with at most two decimals, without sign, exponent or thousands separators.
 * @returns null if it is not such an amount
 */
export function parseDollars(input: string | number): Micros | null {
  if (Object.is(input, -0)) return null;
  const match = TYPED_AMOUNT.exec(typeof input === "number" ? String(input) : input.trim());
  if (match === null) return null;
  return toMicros(match[1] ?? "", match[2] ?? "");
}

/**
 * Formats an amount for display with a fixed number of decimals. It is truncated towards zero, so that a balance never looks larger
 * than it is; six decimals are exact.
 */
export function formatDollars(micros: Micros, decimals: 2 | 4 | 6 = 2): string {
  const step = 10n ** BigInt(MICRO_DECIMALS - decimals);
  const kept = (micros / step) * step;
  return write(kept, decimals);
}

/** Rounds up to a whole cent: of what somebody owes or lacks, so that paying this is enough. */
export function upToCents(micros: Micros): Micros {
  return ((micros + MICROS_PER_CENT - 1n) / MICROS_PER_CENT) * MICROS_PER_CENT;
}

/** The fewest decimals with which `formatDollars` is exact for all these amounts. */
export function commonDecimals(amounts: readonly Micros[]): 2 | 4 | 6 {
  if (amounts.every((micros) => micros % MICROS_PER_CENT === 0n)) return 2;
  return amounts.every((micros) => micros % 100n === 0n) ? 4 : 6;
}

/** Formats an amount exactly for JSON, with 2 to 6 decimals: "24.60", "-0.000001". */
export function toDecimalString(micros: Micros): string {
  return write(micros, 2);
}

/** Formats a price per minute exactly for JSON, with 4 to 6 decimals: "0.0210". */
export function rateToDecimalString(micros: Micros): string {
  return write(micros, 4);
}

/**
 * Parses the output of `toDecimalString` and `rateToDecimalString`.
 * @throws RangeError if the text is not a decimal with at most 13 digits before and 6 after the point
 */
export function fromDecimalString(text: string): Micros {
  const match = DECIMAL.exec(text);
  if (match === null) throw new RangeError("Not a decimal amount of dollars.");
  const micros = toMicros(match[2] ?? "", match[3] ?? "");
  return match[1] === "-" ? -micros : micros;
}

export function sumOf(amounts: Iterable<Micros>): Micros {
  let sum = 0n;
  for (const micros of amounts) sum += micros;
  return sum;
}

/** The larger of two amounts. */
export function largerOf(one: Micros, other: Micros): Micros {
  return one > other ? one : other;
}

/** The smaller of two amounts. */
export function smallerOf(one: Micros, other: Micros): Micros {
  return one < other ? one : other;
}

function toMicros(whole: string, fraction: string): Micros {
  return BigInt(whole) * MICROS_PER_DOLLAR + BigInt(fraction.padEnd(MICRO_DECIMALS, "0"));
}

/** All significant decimals, padded with zeros to `minDecimals`. */
function write(micros: Micros, minDecimals: number): string {
  const size = micros < 0n ? -micros : micros;
  const fraction = (size % MICROS_PER_DOLLAR)
    .toString()
    .padStart(MICRO_DECIMALS, "0")
    .replace(/0+$/, "")
    .padEnd(minDecimals, "0");
  return `${micros < 0n ? "-" : ""}${size / MICROS_PER_DOLLAR}.${fraction}`;
}
