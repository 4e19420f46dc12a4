import { longestCallOf, type PriceClass } from "@farline/domain/calls/call-terms.ts";
import { tierOf, type RiskTier } from "@farline/domain/calls/risk-tier.ts";
import { findCustomer, type Customer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { readCallRisk, readPaymentFacts, type Breaker } from "../../risk/risk.ts";
import { rulesFor } from "./call-limits.ts";
import type { CallMachinery } from "../call-machinery.ts";
import type { CallRow } from "../calls.tables.ts";
import type { Destination } from "./destination.ts";
import { freshCreditLimit } from "../live/fresh-credit.ts";
import { noteRefusal } from "./note-refusal.ts";

/** On which terms this customer may make this call. */
export interface CallTerms {
  readonly tier: RiskTier;
  readonly capSeconds: number;
  /** See `rulesFor`. */
  readonly rules: ReturnType<typeof rulesFor>;
}

type Parts = Pick<CallMachinery, "handle" | "clock" | "log" | "ledger" | "config">;

/**
 * Applies what depends on the customer's tier and on the state of the platform, and cannot be counted together with the
 * hold. With limits off everybody is a new account with a proved address, and nothing but the margin is asked.
 * @throws AppError destination_paused, destination_not_open, email_not_confirmed, destination_blocked
 */
export async function checkCallRisk(m: Parts, customer: Customer, destination: Destination): Promise<CallTerms> {
  const { quote, risk, priceClass } = destination;
  const now = m.clock.now();
  const scale = m.config.limitsScale;
  const { facts, breakers } =
    scale === 0
      ? { facts: null, breakers: [] }
      : await readCallRisk(m.handle, { customerId: customer.id, now, prefix: quote.prefix, countryCode: quote.countryCode });
  const { createdAt, emailVerified } = customer;
  const tier = facts === null ? "new" : tierOf({ ...facts, createdAt, emailVerified }, now);
  const refused = { customerId: customer.id, tier };
  const inputs = { prefix: quote.prefix, country: quote.countryCode, rate_micros: String(quote.ratePerMinuteMicros), priceClass };
  const capSeconds = longestCallOf(quote, risk, tier);
  if (capSeconds === null) {
    noteRefusal(m, refused, "not_open", inputs);
    throw notOpen(destination, tier);
  }
  if (!quote.hasMargin) {
    noteRefusal(m, refused, "margin", inputs);
    throw new AppError("destination_paused", PAUSED);
  }
  const stop = breakers.find((one) => stops(one, tier, priceClass));
  if (stop !== undefined) {
    noteRefusal(m, refused, `breaker_${stop.kind}`, { ...inputs, breaker: stop.id });
    const retryAfterSeconds = Math.max(1, Math.ceil((stop.until.getTime() - now.getTime()) / 1000));
    throw new AppError("destination_paused", PAUSED, { retryAfterSeconds });
  }
  return { tier, capSeconds, rules: await rulesOf(m, customer.id, { tier, priceClass }) };
}

/** The rules for making a running call longer, by what its customer is by now. */
export async function rulesOfRunning(m: Parts, call: CallRow): Promise<CallTerms["rules"]> {
  if (m.config.limitsScale === 0) return null;
  const customer = await findCustomer(m.handle.db, call.customer_id);
  if (customer === undefined) throw new Error("A call has a customer.");
  const now = m.clock.now();
  const tier = tierOf({ ...(await readPaymentFacts(m.handle.db, customer.id, now)), ...customer }, now);
  return rulesOf(m, customer.id, { tier, priceClass: call.price_class });
}

async function rulesOf(
  m: Parts,
  customerId: string,
  call: { tier: RiskTier; priceClass: PriceClass },
): Promise<CallTerms["rules"]> {
  const scale = m.config.limitsScale;
  const freshMicros = call.priceClass === "A" || scale === 0 ? null : await freshCreditLimit(m, customerId, call.tier);
  return rulesFor(scale, { ...call, freshMicros });
}

/** Once carriers have taken what they may take in a day, only the best known customers make ordinary calls. */
function stops(breaker: Breaker, tier: RiskTier, priceClass: PriceClass): boolean {
  return breaker.kind !== "carrier_spend" || tier !== "trusted" || priceClass !== "A";
}

function notOpen({ quote, risk }: Destination, tier: RiskTier): AppError {
  if (tier === "unverified" && longestCallOf(quote, risk, "new") !== null)
    return new AppError("email_not_confirmed", "Confirm your email address to call this destination. We sent you a link.");
  if (longestCallOf(quote, risk, "trusted") === null)
    return new AppError("destination_blocked", "We do not connect calls to destinations as expensive as this one.");
  return new AppError("destination_not_open", "Calls to this destination are not open to new accounts.");
}

const PAUSED = "Calls to this destination are paused for now. Try again later.";
