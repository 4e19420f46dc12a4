import { isRefusedDestination } from "./destination-kind.ts";
import { riskOf } from "./high-risk.ts";
import type { NormalizedNumber } from "./phone-number.ts";
import type { DeckRow } from "../rates/deck-rows.ts";

/**
 * Numbers reserved for fiction and examples, which are never assigned. Sources: ATIS 555 NXX Assignment Guidelines (555-0100 to
 * 555-0199); Ofcom, telephone numbers for use in TV and radio drama programmes.
 */
const FICTIONAL = [
  /^\+1\d{3}55501\d{2}$/,
  /^\+44(?:1134960|1144960|1154960|1164960|1174960|1184960|1214960|1314960|1414960|1514960|1614960|2079460|1914980|2890180|2920180|1632960|7700900|8081570|9098790|3069990)\d{3}$/,
];
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

/** @param e164 with its plus */
export function isFictionalNumber(e164: string): boolean {
  return FICTIONAL.some((range) => range.test(e164));
}
