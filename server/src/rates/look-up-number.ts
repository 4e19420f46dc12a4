import type { CallPrice, LookupNumberResponse, Quote } from "@farline/contract/rates.ts";
import { longestCallOf } from "@farline/domain/calls/call-terms.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { isRefusedDestination } from "@farline/domain/numbers/destination-kind.ts";
import { riskOf } from "@farline/domain/numbers/high-risk.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { normalizePartialNumber } from "@farline/domain/numbers/number-plans.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import { AppError } from "../platform/app-error.ts";
import type { RateQuote } from "./active-deck.ts";
import { toNumberError } from "./number-error.ts";

const UNFINISHED = new Set(["impossible", "short_code"]);

/**
 * Returns the price of a typed number: exact for a complete number, otherwise that of the digits so far.
 * @throws AppError number_invalid, number_ambiguous, country_required, emergency_number, or no_rate if no prefix matches
 */
export function lookUpNumber(
  quote: (e164: string) => RateQuote | null,
  typed: string,
  selectedCountry: string | null,
): LookupNumberResponse["rate"] {
  const number = normalizeNumber(typed, selectedCountry);
  if (number.ok) return { ...toQuote(number, quote(number.e164)), exact: number.valid };
  const partial = UNFINISHED.has(number.problem) ? normalizePartialNumber(typed, selectedCountry) : null;
  if (partial === null) throw toNumberError(number);
  return { ...toQuote({ e164: partial, type: null }, quote(partial)), exact: false };
}

/** @param number with a null type while it is incomplete; then only the price decides whether it is refused */
function toQuote({ e164, type }: { e164: string; type: string | null }, found: RateQuote | null): Quote {
  if (found === null) throw new AppError("no_rate");
  const risk = riskOf(e164, found.countryCode)?.level ?? null;
  const refused = isRefusedDestination({ e164, type: type ?? found.numberType }, found);
  return {
    ...presentPrice(e164, found),
    connected: !refused,
    longest_call_s: refused ? null : longestCallOf(found, risk, "new"),
  };
}

export function presentPrice(e164: string, found: RateQuote): CallPrice {
  return {
    number: e164,
    country_code: found.countryCode,
    country_name: englishNameOf(found.countryCode),
    number_type: found.numberType as Quote["number_type"],
    prefix: found.prefix,
    description: found.description,
    rate_per_minute: rateToDecimalString(found.ratePerMinuteMicros),
    first_interval_s: found.firstIntervalSeconds,
    next_interval_s: found.nextIntervalSeconds,
    deck_id: found.deckId,
    deck_effective_at: found.deckEffectiveAt.toISOString(),
  };
}
