import { callLimitsUnder, NO_TERMS } from "@farline/domain/business/customer-terms.ts";
import { scaleCallLimits } from "@farline/domain/calls/call-limits.ts";
import type { PriceClass } from "@farline/domain/calls/call-terms.ts";
import type { ProposedCall } from "@farline/domain/calls/decide-call.ts";
import { tierOf } from "@farline/domain/calls/risk-tier.ts";
import { findCustomer, type Customer } from "../../accounts/accounts.ts";
import { hasOnlyFirstCall } from "../../promotions/promotions.ts";
import { readCallRisk, readFreshPayments, readPaymentFacts } from "../../risk/risk.ts";
import type { CallRow } from "./calls.tables.ts";
import type { Destination } from "./destination.ts";
import type { Context } from "../../context.ts";

/** The inputs of a call's spending limits. */
export type SpendingTerms = Pick<ProposedCall, "priceClass" | "tier" | "limits" | "freshPayments" | "hasOnlyFirstCall">;

/**
 * Reads the inputs of `decideCall` that need no lock: the customer's tier, the destination's breakers, and the last day's payments.
 * With limits off, every customer counts as a new account with a verified address.
 */
export async function readProposedCall(
  ctx: Context,
  customer: Customer,
  { destination, shownRate }: { readonly destination: Destination; readonly shownRate: ProposedCall["shownRate"] },
): Promise<ProposedCall> {
  const { quote, risk, priceClass } = destination;
  const now = ctx.clock.now();
  const scale = ctx.config.limitsScale;
  const subject = { customerId: customer.id, now, prefix: quote.prefix, countryCode: quote.countryCode };
  const found = scale === 0 ? null : await readCallRisk(ctx.handle, subject);
  const terms = found?.facts.terms ?? NO_TERMS;
  const tier = found === null ? "new" : tierOf({ ...found.facts, ...customer }, now);
  return {
    at: now,
    destination: destination.e164,
    countryCode: quote.countryCode,
    rate: quote,
    shownRate,
    priceClass,
    risk,
    hasMargin: quote.hasMargin,
    breakers: found?.breakers ?? [],
    customerIsFrozen: customer.status !== "active",
    tier,
    limits: scaleCallLimits(callLimitsUnder(terms, ctx.settings.inForce().callLimits[tier]), scale),
    freshPayments: await freshPaymentsFor(ctx, customer.id, priceClass),
    hasOnlyFirstCall: priceClass !== "A" && (await hasOnlyFirstCall(ctx.handle.db, customer.id)),
  };
}

/** The spending inputs of a running call, by its customer's current tier. */
export async function readSpendingTerms(ctx: Context, call: CallRow): Promise<SpendingTerms> {
  const customer = await findCustomer(ctx.handle.db, call.customer_id);
  if (customer === undefined) throw new Error("The call's customer does not exist.");
  const now = ctx.clock.now();
  const scale = ctx.config.limitsScale;
  const facts = scale === 0 ? null : await readPaymentFacts(ctx.handle.db, customer.id, now);
  const terms = facts?.terms ?? NO_TERMS;
  const tier = facts === null ? "new" : tierOf({ ...facts, ...customer }, now);
  const priceClass = call.price_class;
  return {
    tier,
    priceClass,
    limits: scaleCallLimits(callLimitsUnder(terms, ctx.settings.inForce().callLimits[tier]), scale),
    freshPayments: await freshPaymentsFor(ctx, customer.id, priceClass),
    hasOnlyFirstCall: priceClass !== "A" && (await hasOnlyFirstCall(ctx.handle.db, customer.id)),
  };
}

/** Ordinary calls may use a fresh payment in full. */
async function freshPaymentsFor(
  ctx: Context,
  customerId: string,
  priceClass: PriceClass,
): Promise<ProposedCall["freshPayments"]> {
  return priceClass === "A" ? [] : readFreshPayments(ctx.handle.db, customerId, ctx.clock.now());
}
