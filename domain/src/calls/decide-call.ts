import { longestCallOf, type PriceClass } from "./call-terms.ts";
import { chargeFor, minimumFreeCallHold, minimumHold, type BillingRate } from "./charge.ts";
import type { RiskLevel } from "../numbers/high-risk.ts";
import { type Micros, smallerOf } from "../money.ts";
import type { RiskTier } from "./risk-tier.ts";
import type { GuardRails } from "./guard-rails.ts";
import { asSeenByMember, FAMILY_LIVE_CALLS, familyBudgets, refuseOutsideFamily, type FamilyLimits } from "./family-limits.ts";
import { DRAMA_NUMBERS_PREFIX, type CallLimits } from "./call-limits.ts";
import { costsNoMore } from "../rates/sale-terms.ts";
import { DAY_SECONDS } from "../durations.ts";
import { BLOCK_SECONDS, refuse, type CallRefusal, type RefusalRule } from "./call-refusal.ts";

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;

/** A requested call: everything that is known before the account is locked. */
export interface ProposedCall {
  readonly at: Date;
  /** E.164. */
  readonly destination: string;
  readonly countryCode: string;
  readonly rate: BillingRate;
  /** The price that the caller was shown, which the call must not exceed; null if the client sent none. */
  readonly shownRate: BillingRate | null;
  readonly priceClass: PriceClass;
  readonly risk: RiskLevel | null;
  /** Whether the price exceeds the carrier's cost by the minimum margin. */
  readonly hasMargin: boolean;
  /** Breakers in force for this destination or for all destinations. */
  readonly breakers: readonly CallBreaker[];
  readonly callerIsFrozen: boolean;
  /** Whether the credit of the family's owner pays. Tier, limits and payments are those of the account that pays. */
  readonly isOnFamilyCredit: boolean;
  /** Whether the account that pays is locked or closing. */
  readonly payerIsFrozen: boolean;
  readonly tier: RiskTier;
  /** Null if limits are off. */
  readonly limits: CallLimits | null;
  /** Payments of the last 24 hours, without refunded and disputed amounts. */
  readonly freshPayments: readonly FreshPayment[];
  /** Whether the customer has the first-call bonus, and no credit was ever bought by them or for them. */
  readonly hasOnlyFirstCall: boolean;
}

/** Stops calls to a destination, or all calls, for all customers. */
interface CallBreaker {
  readonly id: string;
  readonly kind: "carrier_spend" | "prefix" | "country" | "spend_note";
  readonly until: Date;
}

interface FreshPayment {
  readonly chargeMicros: Micros;
  readonly bonusMicros: Micros;
}

/**
 * The state of a caller and of the account that pays, read under the accounts' locks, without the call being decided. Credit, limits and
 * spending are the payer's; calls are counted that the caller made or the payer paid.
 */
export interface CallerCounters {
  readonly balanceMicros: Micros;
  readonly heldMicros: Micros;
  readonly debtMicros: Micros;
  readonly bonusMicros: Micros;
  /** What remains of the first-call grant, minus holds. 0 without a grant, and after the first answered call. */
  readonly grantLeftMicros: Micros;
  /** The caller's own. */
  readonly liveCalls: number;
  readonly payerLiveCalls: number;
  /** Start times of the calls in the last 24 hours, newest first, `callsPerDay` at most. */
  readonly startedAtMs: readonly number[];
  /** The block in force because of a call pattern. */
  readonly block: { readonly rule: string; readonly until: Date } | null;
  /** Calls to this number in the last hour. */
  readonly sameNumberInHour: number;
  /** Other numbers in the same block of 1,000, called in the last hour. */
  readonly nearNumbersInHour: number;
  /** Short answered calls that ended in the last hour, without those to drama numbers. */
  readonly shortCallsInHour: number;
  /** Other numbers and other countries, called in the last 24 hours. */
  readonly otherNumbersInDay: number;
  readonly otherCountriesInDay: number;
  /** Charges and holds of the calls in the last 24 hours. */
  readonly spentInDayMicros: Micros;
  readonly spentAboveClassAMicros: Micros;
  readonly spentAboveClassBMicros: Micros;
  readonly ownLimits: OwnLimits | null;
  /** Null if the caller's own credit pays, or the family's no longer does. */
  readonly family: FamilyLimits | null;
}

/** The limits that customers set for their own credit, and what counts against them. */
interface OwnLimits extends Readonly<GuardRails> {
  /** Charges and holds of the calls since midnight in the caller's time zone. */
  readonly spentTodayMicros: Micros;
}

/** What limits a call's length. `spend_limit` is the tier's limit per day. */
export type HoldBound = "credit" | "longest_call" | "spend_limit" | "call_cap" | "daily_cap" | "family_limit";

interface AllowedCall {
  /** The longest call that the tier allows to the destination. */
  readonly capSeconds: number;
  readonly holdMicros: Micros;
  readonly boundedBy: HoldBound;
  /** The part of the hold that the first-call grant pays; 0 if that is less than a free call must last. */
  readonly freeMicros: Micros;
}

type CallDecision =
  | { readonly allowed: AllowedCall; readonly refused?: undefined }
  | { readonly refused: CallRefusal; readonly allowed?: undefined };

type Rule = (call: ProposedCall, caller: CallerCounters) => CallRefusal | null;

/** The first rule that refuses is the one reported. */
const RULES: readonly Rule[] = [
  (call) => (call.callerIsFrozen ? refuse("frozen") : null),
  (call) => (call.payerIsFrozen ? refuse("family_credit") : null),
  refuseOutsideFamily,
  refuseClosedDestination,
  refuseRiskyFirstCall,
  refuseManyLiveCalls,
  refuseManyCalls,
  refusePattern,
  refuseOtherCountries,
  refuseAbovePriceShown,
];

/** Decides whether a call may be made, and how much credit to hold for it. */
export function decideCall(call: ProposedCall, caller: CallerCounters): CallDecision {
  const decision = decide(call, caller);
  return decision.refused !== undefined && call.isOnFamilyCredit ? { refused: asSeenByMember(decision.refused) } : decision;
}

function decide(call: ProposedCall, caller: CallerCounters): CallDecision {
  for (const rule of RULES) {
    const refused = rule(call, caller);
    if (refused !== null) return { refused };
  }
  const capSeconds = longestCallOf(call.rate, call.risk, call.tier) ?? 0;
  const isBoundByGrant = caller.grantLeftMicros > 0n && needsGrant(call, caller);
  const leastMicros = isBoundByGrant ? minimumFreeCallHold(call.rate) : minimumHold(call.rate);
  if (isBoundByGrant && caller.grantLeftMicros < leastMicros)
    return { refused: refuse("first_call_too_short", {}, { leftMicros: caller.grantLeftMicros }) };
  const budget = budgetOf(call, caller, chargeFor(capSeconds, call.rate));
  if (budget.micros < leastMicros) return { refused: refuseSpending(budget) };
  const availableMicros = caller.balanceMicros - caller.heldMicros;
  if (availableMicros < leastMicros) {
    const credit = { requiredMicros: leastMicros, availableMicros, debtMicros: caller.debtMicros };
    return { refused: refuse("credit", {}, { credit }) };
  }
  const payingMicros = isBoundByGrant ? smallerOf(availableMicros, caller.grantLeftMicros) : availableMicros;
  const hold = holdWithin(budget, payingMicros);
  // Bonus credit is spent first.
  const grantedMicros = call.isOnFamilyCredit ? 0n : smallerOf(hold.holdMicros, caller.grantLeftMicros);
  const freeMicros = grantedMicros < minimumFreeCallHold(call.rate) ? 0n : grantedMicros;
  return { allowed: { capSeconds, freeMicros, ...hold } };
}

/**
 * Decides the hold of a running call after credit was added; it never decreases.
 * @param caller without the call's own hold
 */
export function decideExtension(
  call: SpendingCall &
    Pick<ProposedCall, "hasOnlyFirstCall" | "isOnFamilyCredit"> & {
      readonly rate: BillingRate;
      readonly capSeconds: number;
      readonly heldMicros: Micros;
    },
  caller: CallerCounters,
): Pick<AllowedCall, "holdMicros" | "boundedBy"> {
  const hasLeftFamily = call.isOnFamilyCredit && caller.family === null;
  // Credit that cannot start a call must not extend it either.
  if (hasLeftFamily || (call.hasOnlyFirstCall && call.priceClass !== "A"))
    return { holdMicros: call.heldMicros, boundedBy: "credit" };
  const budget = budgetOf(call, caller, chargeFor(call.capSeconds, call.rate));
  if (budget.micros <= call.heldMicros) return { holdMicros: call.heldMicros, boundedBy: budget.boundedBy };
  const { holdMicros, boundedBy } = holdWithin(budget, caller.balanceMicros - caller.heldMicros);
  return { holdMicros: holdMicros > call.heldMicros ? holdMicros : call.heldMicros, boundedBy };
}

/** The inputs of a call's spending limits. */
type SpendingCall = Pick<ProposedCall, "priceClass" | "limits" | "freshPayments">;

/** How much a call may cost, at least zero, and what limits it. */
interface Budget {
  readonly micros: Micros;
  readonly boundedBy: Exclude<HoldBound, "credit">;
  /** The rule that refuses the call if the budget is too small. */
  readonly rule: RefusalRule;
}

function holdWithin(budget: Budget, availableMicros: Micros): Pick<AllowedCall, "holdMicros" | "boundedBy"> {
  if (availableMicros < budget.micros) return { holdMicros: availableMicros, boundedBy: "credit" };
  return { holdMicros: budget.micros, boundedBy: budget.boundedBy };
}

function refuseClosedDestination(call: ProposedCall): CallRefusal | null {
  const { rate, risk, tier, priceClass } = call;
  const longestFor = (other: RiskTier) => longestCallOf(rate, risk, other);
  if (longestFor(tier) === null) {
    if (tier === "unverified" && longestFor("new") !== null) return refuse("email_not_confirmed", { priceClass });
    if (longestFor("known") !== null) return refuse("not_open", { priceClass });
    return refuse(longestFor("trusted") === null ? "too_expensive" : "trusted_only", { priceClass });
  }
  if (!call.hasMargin) return refuse("margin");
  // After the daily limit on carrier spending is reached, only trusted customers may make ordinary calls.
  const stops = ({ kind }: CallBreaker) => kind !== "carrier_spend" || tier !== "trusted" || priceClass !== "A";
  const breaker = call.limits === null ? undefined : call.breakers.find(stops);
  if (breaker === undefined) return null;
  const waitSeconds = secondsBetween(call.at, breaker.until);
  return refuse("breaker", { breaker: breaker.id, kind: breaker.kind }, { waitSeconds });
}

/**
 * Bonus credit without any bought credit pays for ordinary destinations. The first-call grant also pays for others, but never for high-risk ranges, whose
 * owners earn money from each call.
 */
function refuseRiskyFirstCall(call: ProposedCall, caller: CallerCounters): CallRefusal | null {
  if (!needsGrant(call, caller)) return null;
  const isRisky = call.risk === "high" || call.risk === "block";
  if (!isRisky && caller.grantLeftMicros > 0n) return null;
  // If the credit would not suffice anyway, report that instead.
  return isRisky || caller.balanceMicros - caller.heldMicros >= minimumHold(call.rate) ? refuse("first_call_only") : null;
}

/** Whether only the first-call grant can pay: the destination is not ordinary, and there is too little bought credit. */
function needsGrant(call: ProposedCall, caller: CallerCounters): boolean {
  if (call.priceClass === "A" || !call.hasOnlyFirstCall || caller.bonusMicros <= 0n) return false;
  const { balanceMicros, bonusMicros, heldMicros } = caller;
  const boughtMicros = balanceMicros - (bonusMicros > heldMicros ? bonusMicros : heldMicros);
  return boughtMicros < minimumHold(call.rate);
}

function refuseManyLiveCalls({ limits }: ProposedCall, { liveCalls, payerLiveCalls }: CallerCounters): CallRefusal | null {
  if (limits === null) return null;
  const isFull = liveCalls >= limits.liveCalls || payerLiveCalls >= limits.liveCalls * FAMILY_LIVE_CALLS;
  return isFull ? refuse("live_calls", { liveCalls, payerLiveCalls }) : null;
}

/** Sliding windows: the next call may start once each window has room. */
function refuseManyCalls({ limits, at }: ProposedCall, { startedAtMs }: CallerCounters): CallRefusal | null {
  if (limits === null) return null;
  const waits = [
    [limits.callsPerMinute, MINUTE_SECONDS],
    [limits.callsPerHour, HOUR_SECONDS],
    [limits.callsPerDay, DAY_SECONDS],
  ].map(([limit = 0, seconds = 0]) => {
    const begunMs = startedAtMs[limit - 1];
    return begunMs === undefined ? 0 : Math.ceil((begunMs - at.getTime()) / 1000 + seconds);
  });
  const waitSeconds = Math.max(...waits);
  return waitSeconds > 0 ? refuse("calls_in_a_time", { calls: startedAtMs.length }, { waitSeconds }) : null;
}

/** Call patterns that are typical of fraud. */
function refusePattern({ limits, at, destination }: ProposedCall, caller: CallerCounters): CallRefusal | null {
  if (limits === null) return null;
  if (caller.block !== null)
    return refuse("blocked", { rule: caller.block.rule }, { waitSeconds: secondsBetween(at, caller.block.until) });
  const nearNumbers = destination.startsWith(DRAMA_NUMBERS_PREFIX) ? 0 : caller.nearNumbersInHour + 1;
  const patterns: readonly [rule: RefusalRule, count: number, allowed: number, waitSeconds: number][] = [
    ["near_numbers", nearNumbers, limits.nearNumbersPerHour - 1, DAY_SECONDS],
    ["short_calls", caller.shortCallsInHour, limits.shortCallsPerHour - 1, HOUR_SECONDS],
    ["same_number", caller.sameNumberInHour + 1, limits.sameNumberPerHour, HOUR_SECONDS],
    ["numbers", caller.otherNumbersInDay + 1, limits.numbersPerDay, DAY_SECONDS],
    ["countries", caller.otherCountriesInDay + 1, limits.countriesPerDay, DAY_SECONDS],
  ];
  const broken = patterns.find(([, count, allowed]) => count > allowed);
  if (broken === undefined) return null;
  const [rule, , , seconds] = broken;
  const inputs = Object.fromEntries(patterns.map(([name, count]) => [name, count]));
  return refuse(rule, inputs, { waitSeconds: BLOCK_SECONDS[rule] ?? seconds });
}

function refuseOtherCountries({ countryCode }: ProposedCall, { ownLimits }: CallerCounters): CallRefusal | null {
  const countries = ownLimits?.countries ?? null;
  return countries === null || countries.includes(countryCode) ? null : refuse("own_countries");
}

function refuseAbovePriceShown({ rate, shownRate }: ProposedCall): CallRefusal | null {
  return shownRate === null || costsNoMore(rate, shownRate) ? null : refuse("price");
}

/** How much a call may cost: the lowest of several limits. */
function budgetOf(call: SpendingCall, caller: CallerCounters, longestCallMicros: Micros): Budget {
  const bounds: Budget[] = [{ micros: longestCallMicros, boundedBy: "longest_call", rule: "not_open" }];
  const { limits, priceClass } = call;
  if (limits !== null) {
    const bySpending = { boundedBy: "spend_limit", rule: "spend" } as const;
    const freshMicros = priceClass === "A" ? null : freshCreditLeft(call, limits, caller);
    // On a tie, report the fresh payment, because that limit ends by itself.
    if (freshMicros !== null) bounds.push({ ...bySpending, micros: freshMicros, rule: "fresh_credit" });
    bounds.push({ ...bySpending, micros: limits.spendPerDayMicros - caller.spentInDayMicros });
    if (priceClass === "B") bounds.push({ ...bySpending, micros: limits.spendAboveClassAMicros - caller.spentAboveClassAMicros });
    // For class C, only calls of class C count.
    if (priceClass === "C") bounds.push({ ...bySpending, micros: limits.spendAboveClassBMicros - caller.spentAboveClassBMicros });
  }
  const own = caller.ownLimits;
  if (own !== null && own.call_cap_micros !== null)
    bounds.push({ micros: own.call_cap_micros, boundedBy: "call_cap", rule: "call_cap" });
  if (own !== null && own.daily_cap_micros !== null)
    bounds.push({ micros: own.daily_cap_micros - own.spentTodayMicros, boundedBy: "daily_cap", rule: "daily_cap" });
  bounds.push(...familyBudgets(caller.family));
  const lowest = bounds.reduce((low, bound) => (bound.micros < low.micros ? bound : low));
  return { ...lowest, micros: atLeastZero(lowest.micros) };
}

/** Limits that a person has set, who can change them. */
const LIMITS_OF_PEOPLE: ReadonlySet<RefusalRule> = new Set([
  "call_cap",
  "daily_cap",
  "family_daily_cap",
  "family_monthly_cap",
] as const);

function refuseSpending({ rule, micros }: Budget): CallRefusal {
  if (LIMITS_OF_PEOPLE.has(rule)) return refuse(rule, {}, { leftMicros: micros });
  return refuse(rule, { leftMicros: micros }, { waitSeconds: DAY_SECONDS });
}

/**
 * What calls above class A may still cost in the 24 hours after a payment, within which a stolen card is usually noticed: all
 * older credit, and the tier's share of each fresh payment. Null without fresh payments, or if the tier may use all of them.
 * Ordinary calls are assumed to use the rest of a fresh payment first.
 */
function freshCreditLeft({ freshPayments }: SpendingCall, { freshCredit }: CallLimits, caller: CallerCounters): Micros | null {
  if (freshPayments.length === 0 || ("percent" in freshCredit && freshCredit.percent >= 100n)) return null;
  const usable = (micros: Micros) =>
    "percent" in freshCredit ? (micros * freshCredit.percent) / 100n : smallerOf(micros, freshCredit.micros);
  const sum = (amountOf: (payment: FreshPayment) => Micros) => freshPayments.reduce((total, one) => total + amountOf(one), 0n);
  const freshMicros = sum(({ chargeMicros, bonusMicros }) => chargeMicros + bonusMicros);
  const olderMicros = caller.balanceMicros - caller.heldMicros + caller.spentInDayMicros - freshMicros;
  return atLeastZero(olderMicros) + sum(({ chargeMicros }) => usable(chargeMicros)) - caller.spentAboveClassAMicros;
}

function secondsBetween(from: Date, until: Date): number {
  return Math.max(1, Math.ceil((until.getTime() - from.getTime()) / 1000));
}

function atLeastZero(micros: Micros): Micros {
  return micros > 0n ? micros : 0n;
}
