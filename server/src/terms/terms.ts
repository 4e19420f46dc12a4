import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import {
  type CustomerTerms,
  type LimitName,
  limitUnder,
  settingOfLimit,
  type StandingFacts,
  type TermName,
  termNames,
} from "@farline/domain/business/customer-terms.ts";
import { earnedTierOf, type RiskTier, riskTiers, tierOf } from "@farline/domain/calls/risk-tier.ts";
import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { isWithin } from "@farline/domain/business/business-settings.ts";
import { type Earned, isRaise, raiseBy, type TermChange } from "@farline/domain/business/term-order.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { largerOf, smallerOf } from "@farline/domain/money.ts";
import type { OperatorContext } from "../context.ts";
import type { Transaction, Tx } from "../platform/database/database.ts";
import { deleteTerm, listTerms, storeTerm } from "./terms.store.ts";
import { findCustomer, findCustomerId, lockStanding } from "../accounts/accounts.ts";
import { type Concern, concernsAboutAmount, lockMoneyOperations, type Plan, type Verb } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { readPaymentFacts } from "../risk/risk.ts";
import { definitionOf, outOfBounds, readValue, writeValue } from "../settings/settings.ts";

/** In place of a value: what the customer has earned applies again. */
const EARNED = "earned";

const LONGEST_MS = 366 * DAY_MS;

type Profile = NonNullable<Awaited<ReturnType<typeof findCustomer>>>;

/**
 * Sets a customer's tier or one of their limits until a time, or returns to what they have earned. It takes effect with the next call
 * and the next top-up.
 */
const setTerm: Verb<"set-term", Date | null> = {
  plan: async (tx, ctx, order) => {
    const id = await findCustomerId(tx, order.customer);
    const profile = id === undefined ? undefined : await findCustomer(tx, id);
    if (profile === undefined)
      throw new AppError("not_found", { reason: "operator.no_customer", params: { customer: order.customer } });
    return planTerm(tx, ctx, profile, order);
  },
  respond: ({ proposal }) => ({ proposal: proposal?.id ?? null }),
};

export const termVerbs = { "set-term": setTerm };

/** A customer's tier and limits in force, and for those that an operator has set: until when, by whom and why. */
export async function presentTerms(
  tx: Tx,
  ctx: OperatorContext,
  { customerId, tier, terms }: { readonly customerId: string; readonly tier: RiskTier; readonly terms: CustomerTerms },
): Promise<OperatorCustomerResponse["terms"]> {
  const set = new Map((await listTerms(tx, customerId, ctx.clock.now())).map((term) => [term.name, term]));
  const valueOf = (name: TermName) => (name === "tier" ? tier : String(limitOf(ctx, name, { tier, terms })));
  return termNames.map((name) => {
    const term = set.get(name);
    return {
      name,
      value: writeTerm(name, valueOf(name)),
      set: term === undefined ? null : { until: term.until.toISOString(), by: term.operator, reason: term.reason },
    };
  });
}

/**
 * @throws AppError validation_failed for a value out of bounds or an invalid time; forbidden if it allows more, or the same for longer,
 * and the role may only lower
 */
async function planTerm(
  tx: Transaction,
  ctx: OperatorContext,
  profile: Profile,
  { name, value: typed, until: typedUntil, reason }: OperationInput<"set-term">,
): Promise<Plan<"set-term", Date | null>> {
  const now = ctx.clock.now();
  const ends = typed === EARNED;
  const value = ends ? null : parseTerm(name, typed);
  const until = ends ? null : checkUntil(typedUntil, now);
  await lockMoneyOperations(tx);
  await lockStanding(tx, profile.id);
  const facts = { ...(await readPaymentFacts(tx, profile.id, now)), ...profile };
  const set = (await listTerms(tx, profile.id, now)).find((term) => term.name === name);
  const changeOf = (levelOf: (stored: string) => bigint) => ({
    before: set === undefined ? null : { level: levelOf(set.value), until: set.until },
    after: value === null || until === null ? null : { level: levelOf(value), until },
    earned: earnedLevels(ctx, name, { ...facts, terms: without(facts, name) }, { levelOf, now, ends }),
    now,
  });
  const raises = isRaise(changeOf((stored) => rank(name, stored)));
  const amountMicros = raises ? givenBy(changeOf((stored) => spendingOf(ctx, name, stored))) : 0n;
  if (raises && !hasRight(ctx.actor.role, "release"))
    throw new AppError("forbidden", { reason: "operator.term_raise", params: { role: ctx.actor.role } });
  return {
    customerId: profile.id,
    subject: name,
    concerns: raises
      ? [...concernsOf(profile, facts), ...(await concernsAboutAmount(tx, ctx, { customerId: profile.id, amountMicros }))]
      : [],
    moves: { amountMicros, customers: 1 },
    detail: { value: value === null ? EARNED : writeTerm(name, value), until: until?.toISOString() ?? "" },
    run: async () => {
      if (value === null || until === null) await deleteTerm(tx, profile.id, name);
      else {
        const set = { until, set_at: now, set_by: ctx.actor.id, reason };
        await storeTerm(tx, { customer_id: profile.id, name, value, ...set });
      }
      const before = set === undefined ? EARNED : writeTerm(name, set.value);
      return { result: until, detail: { before } };
    },
  };
}

/** Why a second operator must agree to more than the customer has now. */
function concernsOf({ status }: Profile, { everDisputed }: StandingFacts): Concern[] {
  return [
    ...(everDisputed ? [{ kind: "disputed", text: "This customer has disputed a payment." }] : []),
    ...(status === "frozen" ? [{ kind: "frozen", text: "The account is frozen." }] : []),
  ];
}

/** A value as it is stored. @throws AppError validation_failed */
function parseTerm(name: TermName, text: string): string {
  if (name === "tier") {
    if ((riskTiers as readonly string[]).includes(text)) return text;
    throw new AppError("validation_failed", { reason: "operator.no_tier", field: "value" });
  }
  const setting = settingOfLimit(name);
  const value = readValue(setting, text);
  const definition = definitionOf(setting);
  if (!isWithin(value, definition.bounds)) throw outOfBounds(definition);
  return String(value);
}

/** A stored value as operators read and type it. */
function writeTerm(name: TermName, value: string): string {
  return name === "tier" ? value : writeValue(definitionOf(settingOfLimit(name)), BigInt(value));
}

function checkUntil(typed: string | undefined, now: Date): Date {
  const until = typed === undefined ? null : new Date(typed);
  if (until !== null && until > now && until.getTime() - now.getTime() <= LONGEST_MS) return until;
  throw new AppError("validation_failed", { reason: "operator.term_until", field: "until" });
}

/** Comparable: more of it allows more. */
function rank(name: TermName, value: string): bigint {
  return name === "tier" ? BigInt(riskTiers.indexOf(value as RiskTier)) : BigInt(value);
}

/** What applies without the term, and what a dispute would leave of it. */
function earnedLevels(
  ctx: OperatorContext,
  name: TermName,
  facts: StandingFacts,
  { levelOf, now, ends }: { readonly levelOf: (stored: string) => bigint; readonly now: Date; readonly ends: boolean },
): Earned {
  const ofTier = (tier: RiskTier) => levelOf(name === "tier" ? tier : String(limitOf(ctx, name, { tier, terms: facts.terms })));
  const floor = riskTiers.map(ofTier).reduce((least, level) => (level < least ? level : least));
  // A tier may be set for a shorter time than a limit: what is fixed must not exceed the lower one, nor what ends restore the higher one.
  const levels = [ofTier(tierOf(facts, now)), ofTier(earnedTierOf(facts, now))] as const;
  return { level: ends ? largerOf(...levels) : smallerOf(...levels), floor };
}

/** What a raise gives beyond what the customer has earned: to end a restriction gives nothing. */
function givenBy({ before, after, earned, now }: TermChange): bigint {
  if (after === null) return 0n;
  return raiseBy({ before: before === null || before.level < earned.level ? null : before, after, earned, now });
}

/** What a term lets a customer spend, or pay in, within its time; a count lets them spend nothing more. */
function spendingOf(ctx: OperatorContext, name: TermName, stored: string): bigint {
  if (name === "tier") return ctx.settings.current().callLimits[stored as RiskTier].spendPerDayMicros;
  return definitionOf(settingOfLimit(name)).unit === "dollars" ? BigInt(stored) : 0n;
}

/** A limit in force. */
export function limitOf(
  { settings }: Pick<OperatorContext, "settings">,
  name: LimitName,
  { tier, terms }: { readonly tier: RiskTier; readonly terms: CustomerTerms },
): bigint {
  const { callLimits, topUpLimits } = settings.current();
  return limitUnder(terms, name, { calls: callLimits[tier], topUps: topUpLimits[tier] });
}

function without({ terms }: StandingFacts, name: TermName): CustomerTerms {
  if (name === "tier") return { ...terms, tier: null };
  const { [name]: _ended, ...limits } = terms.limits;
  return { ...terms, limits };
}
