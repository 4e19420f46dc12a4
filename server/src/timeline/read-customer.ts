import type { StandingFacts } from "@farline/domain/business/customer-terms.ts";
import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import { offeredFor } from "@farline/contract/operator/operations.ts";
import { earnedTierOf, tierOf } from "@farline/domain/calls/risk-tier.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { findCustomer, findCustomerId } from "../accounts/accounts.ts";
import { readWithdrawable } from "../billing/billing.ts";
import { readOwnLimits } from "../calls/calls.ts";
import type { OperatorContext } from "../context.ts";
import { AppError } from "../platform/app-error.ts";
import { readAloneLeft } from "../operator/operator.ts";
import { presentTerms } from "../terms/terms.ts";
import type { Tx } from "../platform/database/database.ts";
import { readPaymentFacts } from "../risk/risk.ts";
import { type CustomerFacts, readCustomerFacts } from "./timeline.store.ts";

type Profile = NonNullable<Awaited<ReturnType<typeof findCustomer>>>;

/** @param customer id or mail address. @throws AppError not_found */
export async function requireCustomer(tx: Tx, customer: string): Promise<Profile> {
  const id = await findCustomerId(tx, customer);
  const found = id === undefined ? undefined : await findCustomer(tx, id);
  if (found === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer } });
  return found;
}

/**
 * A customer as operators see them: money, tier with its reasons, limits, blocks, and what can be done.
 * @throws AppError not_found
 */
export async function readCustomer(
  ctx: OperatorContext,
  query: { readonly customer: string },
): Promise<OperatorCustomerResponse> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const profile = await requireCustomer(db, query.customer);
  const { id } = profile;
  const [balance, withdrawable, payments, facts, own, aloneMicros] = await Promise.all([
    ctx.ledger.balance(db, id),
    readWithdrawable(db, ctx, id),
    readPaymentFacts(db, id, now),
    readCustomerFacts(db, id, now),
    readOwnLimits(db, id),
    readAloneLeft(db, ctx, id),
  ]);
  const tierFacts = { ...payments, createdAt: profile.createdAt, emailVerified: profile.emailVerified };
  return {
    customer: presentProfile(profile),
    money: {
      balance: toDecimalString(balance.balanceMicros),
      held: toDecimalString(balance.heldMicros),
      available: toDecimalString(balance.availableMicros),
      debt: toDecimalString(balance.debtMicros),
      bonus: toDecimalString(balance.bonusMicros),
      withdrawable: toDecimalString(withdrawable.maxMicros),
      alone: toDecimalString(aloneMicros),
      paid: toDecimalString(facts.paid_micros),
    },
    ...presentTier(ctx, tierFacts, now),
    terms: await presentTerms(db, ctx, { customerId: id, tier: tierOf(tierFacts, now), terms: payments.terms }),
    own_limits: own,
    ...presentFacts(facts),
    can: offeredFor(ctx.actor.role, {
      isFrozen: profile.status === "frozen",
      isClosing: profile.status === "closing",
      emailVerified: profile.emailVerified,
      sessions: facts.sessions,
      debtMicros: balance.debtMicros,
      liveCalls: facts.live_calls,
    }),
  };
}

function presentProfile(profile: Profile): OperatorCustomerResponse["customer"] {
  return {
    id: profile.id,
    name: profile.name,
    email: profile.email,
    email_verified: profile.emailVerified,
    email_refused: profile.emailRefused,
    language: profile.language,
    status: profile.status,
    frozen_because: profile.frozenBecause,
    closes_at: profile.closesAt?.toISOString() ?? null,
    created_at: profile.createdAt.toISOString(),
  };
}

function presentTier(ctx: OperatorContext, facts: StandingFacts, now: Date): Pick<OperatorCustomerResponse, "tier"> {
  return {
    tier: {
      name: tierOf(facts, now),
      earned: earnedTierOf(facts, now),
      limits_apply: ctx.config.limitsScale > 0,
      because: {
        account_days: Math.floor((now.getTime() - facts.createdAt.getTime()) / DAY_MS),
        email_verified: facts.emailVerified,
        ever_disputed: facts.everDisputed,
        paid_payments: facts.paidPayments,
        authenticated_payments: facts.authenticatedPayments,
        long_settled: toDecimalString(facts.longSettledMicros),
      },
    },
  };
}

function presentFacts(facts: CustomerFacts): Pick<OperatorCustomerResponse, "blocked" | "counts" | "caller_numbers" | "family"> {
  const { block_rule: rule, blocked_until: until } = facts;
  return {
    blocked: rule === null || until === null ? null : { rule, until: until.toISOString() },
    counts: {
      sessions: facts.sessions,
      contacts: facts.contacts,
      live_calls: facts.live_calls,
      open_cases: facts.open_cases,
      open_refund_requests: facts.open_refund_requests,
      open_disputes: facts.open_disputes,
      saved_cards: facts.saved_cards,
    },
    caller_numbers: facts.caller_numbers,
    family: facts.family,
  };
}
