import { isRefusedDestination } from "./destination-kind.ts";
import { riskOf } from "./high-risk.ts";
import type { NormalizedNumber } from "./phone-number.ts";
import type { DeckRow } from "../rates/rating.ts";

/** Kinds of numbers that people answer themselves. */
const PERSONAL_TYPES: ReadonlySet<string> = new Set(["mobile", "landline", "fixed_or_mobile", "voip"]);

/**
 * Whether a customer's number may be shown to the people they call, once it is proven: an ordinary number in use, which we
 * also call to read the code. Never a premium, special or emergency one, nor one in a range known for fraud.
 * @param row the price of the number's longest prefix; null where prices are not known
 */
export function mayBeCallerId(number: Extract<NormalizedNumber, { ok: true }>, row: DeckRow | null): boolean {
  if (!number.valid || !PERSONAL_TYPES.has(number.type) || isRefusedDestination(number, row)) return false;
  const risk = riskOf(number.e164, number.countryCode)?.level ?? null;
  return risk === null || risk === "watch";
}
