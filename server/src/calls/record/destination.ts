import { priceClassOf, type PriceClass } from "@farline/domain/calls/call-terms.ts";
import { isRefusedDestination } from "@farline/domain/numbers/destination-kind.ts";
import { riskOf, type RiskLevel } from "@farline/domain/numbers/high-risk.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import { AppError } from "../../platform/app-error.ts";
import { toNumberError, type RateQuote } from "../../rates/rates.ts";
import type { Rates } from "../../context.ts";

/** A callable number with its rate. */
export interface Destination {
  e164: string;
  quote: RateQuote;
  risk: RiskLevel | null;
  priceClass: PriceClass;
}

/**
 * Normalises a number and finds its rate. Refuses numbers that nobody can call.
 * @param typed in any form; @param country the ISO code selected for it, or null
 * @throws AppError emergency_number, number_invalid, number_ambiguous, country_required, destination_blocked or no_rate
 */
export function resolveDestination(
  typed: string,
  country: string | null,
  rules: { rates: Rates; callerNumber: string },
): Destination {
  const number = normalized(typed, country);
  const { e164 } = number;
  const quote = rules.rates.quote(e164);
  if (isRefusedDestination(number, quote) || e164 === rules.callerNumber) throw new AppError("destination_blocked");
  // A zero rate counts as no rate, so that a mistake in a deck makes no prefix free.
  if (quote === null || quote.ratePerMinuteMicros <= 0n) throw new AppError("no_rate");
  const risk = riskOf(e164, quote.countryCode)?.level ?? null;
  return { e164, quote, risk, priceClass: priceClassOf(quote.ratePerMinuteMicros, risk) };
}

function normalized(typed: string, country: string | null): { e164: string; type: string } {
  const number = normalizeNumber(typed, country);
  if (number.ok) return number;
  throw toNumberError(number, { number: "destination_number", country: "destination_country" });
}
