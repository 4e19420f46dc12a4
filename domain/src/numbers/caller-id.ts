import { isRefusedDestination } from "./destination-kind.ts";
import { riskOf } from "./high-risk.ts";
import type { NormalizedNumber } from "./phone-number.ts";
import type { DeckRow } from "../rates/deck-rows.ts";

/** Types of numbers that people answer themselves. */
const PERSONAL_TYPES: ReadonlySet<string> = new Set(["mobile", "landline", "fixed_or_mobile", "voip"]);

/**
 * Whether a customer's number may be used as caller id once it is verified: an ordinary number in use, which we call to read out the
 * code. Premium, special and emergency numbers and ranges known for fraud are excluded.
 * @param row the price of the number's longest prefix; null if prices are not known
 */
export function mayBeCallerId(number: Extract<NormalizedNumber, { ok: true }>, row: DeckRow | null): boolean {
  if (!number.valid || !PERSONAL_TYPES.has(number.type) || isRefusedDestination(number, row)) return false;
  const risk = riskOf(number.e164, number.countryCode)?.level ?? null;
  return risk === null || risk === "watch";
}
