import type { Micros } from "@farline/domain/money.ts";

const MICROS_PER_CENT = 10_000n;
/** The payment provider counts these currencies in whole units, and those below in thousandths; all others in hundredths. */
const WITHOUT_DECIMALS: ReadonlySet<string> = new Set("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "));
const WITH_THREE: ReadonlySet<string> = new Set("bhd jod kwd omr tnd".split(" "));

/** Converts the payment provider's cents. */
export function fromCents(cents: number): Micros {
  return BigInt(cents) * MICROS_PER_CENT;
}

/** The amount without its fraction of a cent. */
export function wholeCents(micros: Micros): Micros {
  return micros - (micros % MICROS_PER_CENT);
}

/** Converts to cents. @throws RangeError for fractions of a cent, which would be lost */
export function toCents(micros: Micros): number {
  if (micros % MICROS_PER_CENT !== 0n) throw new RangeError("Not a whole number of cents.");
  return Number(micros / MICROS_PER_CENT);
}

/**
 * An amount in a currency's smallest unit as the payment provider counts it, exactly: 3000 JPY as "3000", 1234 KWD as "1.234", 50 USD as "0.50".
 * @param currency its ISO 4217 code in any case
 */
export function fromMinorUnits(amount: bigint, currency: string): string {
  const code = currency.toLowerCase();
  if (WITHOUT_DECIMALS.has(code)) return String(amount);
  const decimals = WITH_THREE.has(code) ? 3 : 2;
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, "0");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
