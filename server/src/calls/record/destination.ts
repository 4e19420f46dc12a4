import type { QuoteRequest } from "@farline/contract/calls.ts";
import { priceClassOf, type PriceClass } from "@farline/domain/calls/call-terms.ts";
import { isRefusedDestination } from "@farline/domain/numbers/destination-kind.ts";
import { riskOf, type RiskLevel } from "@farline/domain/numbers/high-risk.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import { AppError } from "../../platform/app-error.ts";
import { toNumberError, type Buyer, type RateQuote } from "../../rates/rates.ts";
import type { ServiceContext } from "../../context.ts";

/** A callable number with its rate. */
export interface Destination {
  e164: string;
  quote: RateQuote;
  risk: RiskLevel | null;
  priceClass: PriceClass;
}

/**
 * Normalises a number and finds its price for the caller. Refuses numbers that nobody can call.
 * @throws AppError emergency_number, number_invalid, number_ambiguous, country_required, destination_blocked or no_rate
 */
export function resolveDestination(
  ctx: Pick<ServiceContext, "rates" | "config">,
  caller: Buyer,
  request: Pick<QuoteRequest, "destination_number" | "destination_country">,
): Destination {
  const number = normalizeNumber(request.destination_number, request.destination_country ?? null);
  if (!number.ok) throw toNumberError(number, { number: "destination_number", country: "destination_country" });
  const { e164 } = number;
  const quote = ctx.rates.quote(e164, caller);
  if (isRefusedDestination(number, quote) || e164 === ctx.config.telnyx.callerNumber) throw new AppError("destination_blocked");
  if (quote === null) throw new AppError("no_rate");
  const risk = riskOf(e164, quote.countryCode)?.level ?? null;
  return { e164, quote, risk, priceClass: priceClassOf(quote.ratePerMinuteMicros, risk) };
}
