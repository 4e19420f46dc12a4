/** An amount of US dollars in millionths: 1 USD is 1_000_000n. The only form in which money is counted. */
export type Micros = bigint;

export const MICROS_PER_DOLLAR = 1_000_000n;

const MICRO_DECIMALS = 6;
/** Twelve digits before the point: far beyond any payment, and within a 64-bit column. */
const TYPED_AMOUNT = /^(\d{1,12})(?:\.(\d{1,2}))?$/;
const DECIMAL = /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/;

/**
 * Reads an amount a person typed or a client sent: dollars with at most two decimals, without sign, exponent or
 * thousands marks.
 * @returns the amount, or null when it is not one.
 */
export function parseDollars(input: string | number): Micros | null {
  if (Object.is(input, -0)) return null;
  const match = TYPED_AMOUNT.exec(typeof input === "number" ? String(input) : input.trim());
  if (match === null) return null;
  return toMicros(match[1] ?? "", match[2] ?? "");
}

/**
 * Writes an amount with a fixed number of decimals for display. What does not fit is cut off, towards zero, so that a
 * balance never looks larger than it is; six decimals lose nothing.
 */
export function formatDollars(micros: Micros, decimals: 2 | 4 | 6 = 2): string {
  const step = 10n ** BigInt(MICRO_DECIMALS - decimals);
  const kept = (micros / step) * step;
  return write(kept, decimals);
}

/** The fewest decimals, 2, 4 or 6, with which `formatDollars` loses nothing of any of these amounts. */
export function commonDecimals(amounts: readonly Micros[]): 2 | 4 | 6 {
  if (amounts.every((micros) => micros % 10_000n === 0n)) return 2;
  return amounts.every((micros) => micros % 100n === 0n) ? 4 : 6;
}

/** Writes an amount for JSON without loss: at least 2 and at most 6 decimals, for example "24.60" or "-0.000001". */
export function toDecimalString(micros: Micros): string {
  return write(micros, 2);
}

/** Writes a price per minute for JSON without loss: at least 4 and at most 6 decimals, for example "0.0210". */
export function rateToDecimalString(micros: Micros): string {
  return write(micros, 4);
}

/**
 * Reads what `toDecimalString` and `rateToDecimalString` write.
 * @throws RangeError when the text is not a decimal with at most 13 digits before and 6 after the point.
 */
export function fromDecimalString(text: string): Micros {
  const match = DECIMAL.exec(text);
  if (match === null) throw new RangeError("Not a decimal amount of dollars.");
  const micros = toMicros(match[2] ?? "", match[3] ?? "");
  return match[1] === "-" ? -micros : micros;
}

function toMicros(whole: string, fraction: string): Micros {
  return BigInt(whole) * MICROS_PER_DOLLAR + BigInt(fraction.padEnd(MICRO_DECIMALS, "0"));
}

/** All significant decimals, padded with zeros to `leastDecimals`. */
function write(micros: Micros, leastDecimals: number): string {
  const size = micros < 0n ? -micros : micros;
  const fraction = (size % MICROS_PER_DOLLAR)
    .toString()
    .padStart(MICRO_DECIMALS, "0")
    .replace(/0+$/, "")
    .padEnd(leastDecimals, "0");
  return `${micros < 0n ? "-" : ""}${size / MICROS_PER_DOLLAR}.${fraction}`;
}
