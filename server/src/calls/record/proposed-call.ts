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
type SpendingTerms = Pick<ProposedCall, "priceClass" | "tier" | "limits" | "freshPayments" | "hasOnlyFirstCall">;

/**
 * Reads the inputs of `decideCall` that need no lock: the tier of the customer who pays, the destination's breakers, and the last day's payments.
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
  const payer = customer.payerId === null ? customer : await readPayer(ctx, customer.payerId);
  const subject = { customerId: payer.id, now, prefix: quote.prefix, countryCode: quote.countryCode };
  const found = scale === 0 ? null : await readCallRisk(ctx.handle, subject);
  const terms = found?.facts.terms ?? NO_TERMS;
  const tier = found === null ? "new" : tierOf({ ...found.facts, ...payer }, now);
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
    callerIsFrozen: customer.status !== "active",
    isOnFamilyCredit: customer.payerId !== null,
    payerIsFrozen: payer.status !== "active",
    tier,
    limits: scaleCallLimits(callLimitsUnder(terms, ctx.settings.current().callLimits[tier]), scale),
    freshPayments: await freshPaymentsFor(ctx, payer.id, priceClass),
    hasOnlyFirstCall: priceClass !== "A" && (await hasOnlyFirstCall(ctx.handle.db, payer.id)),
  };
}

async function readPayer(ctx: Context, payerId: string): Promise<Customer> {
  const payer = await findCustomer(ctx.handle.db, payerId);
  if (payer === undefined) throw new Error("The customer who pays for a call does not exist.");
  return payer;
}

/** The spending inputs of a running call, by the current tier of the customer who pays. */
export async function readSpendingTerms(ctx: Context, call: CallRow): Promise<SpendingTerms> {
  const payer = await readPayer(ctx, call.payer_id ?? call.customer_id);
  const now = ctx.clock.now();
  const scale = ctx.config.limitsScale;
  const facts = scale === 0 ? null : await readPaymentFacts(ctx.handle.db, payer.id, now);
  const terms = facts?.terms ?? NO_TERMS;
  const tier = facts === null ? "new" : tierOf({ ...facts, ...payer }, now);
  const priceClass = call.price_class;
  return {
    tier,
    priceClass,
    limits: scaleCallLimits(callLimitsUnder(terms, ctx.settings.current().callLimits[tier]), scale),
    freshPayments: await freshPaymentsFor(ctx, payer.id, priceClass),
    hasOnlyFirstCall: priceClass !== "A" && (await hasOnlyFirstCall(ctx.handle.db, payer.id)),
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
