import { isBlockedDestination } from "../calls/call-terms.ts";
import { countryByCode } from "../countries/countries.ts";
import { SPECIAL_RANGES } from "../data/special-range-rows.ts";
import { emergencyNumbersOf } from "./emergency-numbers.ts";
import { riskOf } from "./high-risk.ts";
import type { DeckRow } from "../rates/deck-rows.ts";

/** A complete number with its type in the numbering plan; `unknown` for unassigned ranges. */
interface NumberOfKind {
  readonly e164: string;
  readonly type: string;
}

const ORDINARY_TYPES: ReadonlySet<string> = new Set(["mobile", "landline", "fixed_or_mobile"]);
/** Shorter emergency numbers are prefixes of too many ordinary ones. */
const MIN_EMERGENCY_DIGITS = 3;

/**
 * Whether calls to this kind of number are refused at this price: numbers that are never dialled, and special numbers that the price's
 * prefix covers without being specific to them.
 * @param row the price of the number's longest prefix; null without one
 */
export function isRefusedDestination(number: NumberOfKind, row: DeckRow | null): boolean {
  const risk = riskOf(number.e164, row?.countryCode ?? "")?.level ?? null;
  if (isBlockedDestination(number.type, risk)) return true;
  if (row === null) return false;
  return isBlockedDestination(row.numberType, risk) || isSpecialUnderOrdinaryPrice(number, row);
}

function isSpecialUnderOrdinaryPrice({ e164, type }: NumberOfKind, row: DeckRow): boolean {
  const digits = e164.replace(/^\+/, "");
  if (type === "unknown") {
    if (isUnassigned(digits, row)) return true;
  } else if (!ORDINARY_TYPES.has(type) && ORDINARY_TYPES.has(row.numberType)) return true;
  return SPECIAL_RANGES.some(
    ({ range, countries }) => (countries?.has(row.countryCode) ?? true) && range.test(digits) && !range.test(row.prefix),
  );
}

/** An unassigned number is refused unless its price is more specific than its country's and it does not start with an emergency number. */
function isUnassigned(digits: string, row: DeckRow): boolean {
  const dialCode = countryByCode(row.countryCode)?.dialCode ?? "";
  if (row.prefix.length <= dialCode.length) return true;
  const national = digits.slice(dialCode.length);
  return emergencyNumbersOf(row.countryCode).some(
    (number) => number.length >= MIN_EMERGENCY_DIGITS && national.startsWith(number),
  );
}
