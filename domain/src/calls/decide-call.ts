import { longestCallOf, type PriceClass } from "./call-terms.ts";
import { chargeFor, leastFreeCallHold, minimumHold, type BillingRate } from "./charge.ts";
import type { RiskLevel } from "../numbers/high-risk.ts";
import type { Micros } from "../money.ts";
import type { RiskTier } from "./risk-tier.ts";
import { DRAMA_NUMBERS_PREFIX, type CallLimits } from "./call-limits.ts";
import { costsNoMore } from "../rates/sale-terms.ts";
import { BLOCK_SECONDS, refuse, type CallRefusal, type RefusalRule } from "./call-refusal.ts";

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** A call that a customer wants to make: everything about it that does not change while it waits for the account. */
export interface WantedCall {
  readonly at: Date;
  /** E.164. */
  readonly destination: string;
  readonly countryCode: string;
  readonly rate: BillingRate;
  /** The price that the caller was shown, which the call must not exceed; null: the client sent none. */
  readonly shownRate: BillingRate | null;
  readonly priceClass: PriceClass;
  readonly risk: RiskLevel | null;
  /** Whether the price leaves us enough over its cost. */
  readonly hasMargin: boolean;
  /** Those in force for this destination or for all. */
  readonly breakers: readonly CallBreaker[];
  readonly customerIsFrozen: boolean;
  readonly tier: RiskTier;
  /** Null: limits are off. */
  readonly limits: CallLimits | null;
  /** Payments of the last 24 hours, as far as they were not taken back. */
  readonly freshPayments: readonly FreshPayment[];
  /** The customer has the bonus for a first call and never bought credit. */
  readonly hasOnlyFirstCall: boolean;
}

/** Stops calls to a destination, or all calls, for everybody. */
export interface CallBreaker {
  readonly id: string;
  readonly kind: "carrier_spend" | "prefix" | "country" | "spend_note";
  readonly until: Date;
}

interface FreshPayment {
  readonly chargeMicros: Micros;
  readonly bonusMicros: Micros;
}

/** What is known of a caller under the lock of the account, without the call that is decided about. */
export interface CallerCounters {
  readonly balanceMicros: Micros;
  readonly heldMicros: Micros;
  readonly debtMicros: Micros;
  readonly bonusMicros: Micros;
  /** What the grant for a first call still pays for, without what calls hold: 0 without one, and after the first answered call. */
  readonly grantLeftMicros: Micros;
  readonly liveCalls: number;
  /** When calls of the last 24 hours began, newest first, in milliseconds: as many as `callsPerDay` at most. */
  readonly begunAtMs: readonly number[];
  /** A pattern that stopped the account, while it lasts. */
  readonly block: { readonly rule: string; readonly until: Date } | null;
  /** Calls of the last hour to this number. */
  readonly sameNumberInHour: number;
  /** Other numbers of the same thousand, called in the last hour. */
  readonly nearNumbersInHour: number;
  /** Answered calls that ended in the last hour and were short, drama numbers left out. */
  readonly shortCallsInHour: number;
  /** Other numbers and other countries, called in the last 24 hours. */
  readonly otherNumbersInDay: number;
  readonly otherCountriesInDay: number;
  /** What calls of the last 24 hours cost or hold. */
  readonly spentInDayMicros: Micros;
  readonly spentAboveClassAMicros: Micros;
  readonly spentAboveClassBMicros: Micros;
  readonly ownLimits: OwnLimits | null;
}

/** The limits that callers set for themselves; null: none. */
export interface OwnLimits {
  readonly callCapMicros: Micros | null;
  readonly dailyCapMicros: Micros | null;
  /** What calls since the caller's own midnight cost or hold. */
  readonly spentTodayMicros: Micros;
  readonly countries: readonly string[] | null;
}

/** What the longest length of a call follows from; `spend_limit`: what an account of this tier may spend in a day. */
export type HoldBound = "credit" | "longest_call" | "spend_limit" | "call_cap" | "daily_cap";

/** A call that may be made. */
export interface AllowedCall {
  /** The longest call that the tier allows there. */
  readonly capSeconds: number;
  /** What is set aside for it. */
  readonly holdMicros: Micros;
  readonly boundedBy: HoldBound;
  /** Paid from the grant for a first call alone. */
  readonly isFreeFirstCall: boolean;
}

export type CallDecision =
  | { readonly allowed: AllowedCall; readonly refused?: undefined }
  | { readonly refused: CallRefusal; readonly allowed?: undefined };

type Rule = (call: WantedCall, seen: CallerCounters) => CallRefusal | null;

/** In the order in which a caller hears of them. */
const RULES: readonly Rule[] = [
  (call) => (call.customerIsFrozen ? refuse("frozen") : null),
  refuseClosedDestination,
  refuseRiskyFirstCall,
  refuseManyLiveCalls,
  refuseManyCalls,
  refusePattern,
  refuseOtherCountries,
  refuseAbovePriceShown,
];

/** Decides whether a call may be made, and what is set aside for it. */
export function decideCall(call: WantedCall, seen: CallerCounters): CallDecision {
  for (const rule of RULES) {
    const refused = rule(call, seen);
    if (refused !== null) return { refused };
  }
  const capSeconds = longestCallOf(call.rate, call.risk, call.tier) ?? 0;
  const isFree = seen.grantLeftMicros > 0n && needsGrant(call, seen);
  const leastMicros = isFree ? leastFreeCallHold(call.rate) : minimumHold(call.rate);
  if (isFree && seen.grantLeftMicros < leastMicros)
    return { refused: refuse("first_call_too_short", {}, { leftMicros: seen.grantLeftMicros }) };
  const budget = budgetOf(call, seen, chargeFor(capSeconds, call.rate));
  if (budget.micros < leastMicros) return { refused: refuseSpending(budget) };
  const availableMicros = seen.balanceMicros - seen.heldMicros;
  if (availableMicros < leastMicros) {
    const credit = { requiredMicros: leastMicros, availableMicros, debtMicros: seen.debtMicros };
    return { refused: refuse("credit", {}, { credit }) };
  }
  const payingMicros = isFree ? least(availableMicros, seen.grantLeftMicros) : availableMicros;
  return { allowed: { capSeconds, isFreeFirstCall: isFree, ...holdWithin(budget, payingMicros) } };
}

/**
 * Decides what is set aside for a running call when there is more credit: never less than before.
 * @param seen without what the call itself holds
 */
export function decideExtension(
  call: SpendingCall &
    Pick<WantedCall, "hasOnlyFirstCall"> & {
      readonly rate: BillingRate;
      readonly capSeconds: number;
      readonly heldMicros: Micros;
    },
  seen: CallerCounters,
): Pick<AllowedCall, "holdMicros" | "boundedBy"> {
  // Bonus credit that could not start this call must not extend it either.
  if (call.hasOnlyFirstCall && call.priceClass !== "A") return { holdMicros: call.heldMicros, boundedBy: "credit" };
  const budget = budgetOf(call, seen, chargeFor(call.capSeconds, call.rate));
  if (budget.micros <= call.heldMicros) return { holdMicros: call.heldMicros, boundedBy: budget.boundedBy };
  const { holdMicros, boundedBy } = holdWithin(budget, seen.balanceMicros - seen.heldMicros);
  return { holdMicros: holdMicros > call.heldMicros ? holdMicros : call.heldMicros, boundedBy };
}

/** What is spent on a call is bounded by these. */
type SpendingCall = Pick<WantedCall, "priceClass" | "limits" | "freshPayments">;

/** How much a call may cost, never less than zero, and what bounds it. */
interface Budget {
  readonly micros: Micros;
  readonly boundedBy: Exclude<HoldBound, "credit">;
  /** The rule that refuses a call for which it is too little. */
  readonly rule: RefusalRule;
}

function holdWithin(budget: Budget, availableMicros: Micros): Pick<AllowedCall, "holdMicros" | "boundedBy"> {
  if (availableMicros < budget.micros) return { holdMicros: availableMicros, boundedBy: "credit" };
  return { holdMicros: budget.micros, boundedBy: budget.boundedBy };
}

function refuseClosedDestination(call: WantedCall): CallRefusal | null {
  const { rate, risk, tier, priceClass } = call;
  const longestFor = (other: RiskTier) => longestCallOf(rate, risk, other);
  if (longestFor(tier) === null) {
    if (tier === "unverified" && longestFor("new") !== null) return refuse("email_not_confirmed", { priceClass });
    return refuse(longestFor("trusted") === null ? "too_expensive" : "not_open", { priceClass });
  }
  if (!call.hasMargin) return refuse("margin");
  // Once carriers have taken what they may take in a day, only the best known customers make ordinary calls.
  const stops = ({ kind }: CallBreaker) => kind !== "carrier_spend" || tier !== "trusted" || priceClass !== "A";
  const breaker = call.limits === null ? undefined : call.breakers.find(stops);
  if (breaker === undefined) return null;
  const waitSeconds = secondsBetween(call.at, breaker.until);
  return refuse("breaker", { breaker: breaker.id, kind: breaker.kind }, { waitSeconds });
}

/**
 * Bonus credit pays for ordinary destinations, and the grant for a first call for others too, but never for high-risk ranges, whose
 * owners earn on each call.
 */
function refuseRiskyFirstCall(call: WantedCall, seen: CallerCounters): CallRefusal | null {
  if (!needsGrant(call, seen)) return null;
  const isRisky = call.risk === "high" || call.risk === "block";
  if (!isRisky && seen.grantLeftMicros > 0n) return null;
  // Somebody who has too little of everything is told that.
  return isRisky || seen.balanceMicros - seen.heldMicros >= minimumHold(call.rate) ? refuse("first_call_only") : null;
}

/** Whether only the grant for a first call can pay: the destination is not ordinary, and there is too little bought credit. */
function needsGrant(call: WantedCall, seen: CallerCounters): boolean {
  if (call.priceClass === "A" || !call.hasOnlyFirstCall || seen.bonusMicros <= 0n) return false;
  const { balanceMicros, bonusMicros, heldMicros } = seen;
  const boughtMicros = balanceMicros - (bonusMicros > heldMicros ? bonusMicros : heldMicros);
  return boughtMicros < minimumHold(call.rate);
}

function refuseManyLiveCalls({ limits }: WantedCall, { liveCalls }: CallerCounters): CallRefusal | null {
  return limits !== null && liveCalls >= limits.liveCalls ? refuse("live_calls", { liveCalls }) : null;
}

/** Sliding windows: the next call may begin when the oldest of the last so many leaves each of them. */
function refuseManyCalls({ limits, at }: WantedCall, { begunAtMs }: CallerCounters): CallRefusal | null {
  if (limits === null) return null;
  const waits = [
    [limits.callsPerMinute, MINUTE_SECONDS],
    [limits.callsPerHour, HOUR_SECONDS],
    [limits.callsPerDay, DAY_SECONDS],
  ].map(([limit = 0, seconds = 0]) => {
    const begunMs = begunAtMs[limit - 1];
    return begunMs === undefined ? 0 : Math.ceil((begunMs - at.getTime()) / 1000 + seconds);
  });
  const waitSeconds = Math.max(...waits);
  return waitSeconds > 0 ? refuse("calls_in_a_time", { calls: begunAtMs.length }, { waitSeconds }) : null;
}

/** Patterns of calls that no ordinary caller shows. */
function refusePattern({ limits, at, destination }: WantedCall, seen: CallerCounters): CallRefusal | null {
  if (limits === null) return null;
  if (seen.block !== null)
    return refuse("blocked", { rule: seen.block.rule }, { waitSeconds: secondsBetween(at, seen.block.until) });
  const nearNumbers = destination.startsWith(DRAMA_NUMBERS_PREFIX) ? 0 : seen.nearNumbersInHour + 1;
  const patterns: readonly [rule: RefusalRule, count: number, allowed: number, waitSeconds: number][] = [
    ["near_numbers", nearNumbers, limits.nearNumbersPerHour - 1, DAY_SECONDS],
    ["short_calls", seen.shortCallsInHour, limits.shortCallsPerHour - 1, HOUR_SECONDS],
    ["same_number", seen.sameNumberInHour + 1, limits.sameNumberPerHour, HOUR_SECONDS],
    ["numbers", seen.otherNumbersInDay + 1, limits.numbersPerDay, DAY_SECONDS],
    ["countries", seen.otherCountriesInDay + 1, limits.countriesPerDay, DAY_SECONDS],
  ];
  const broken = patterns.find(([, count, allowed]) => count > allowed);
  if (broken === undefined) return null;
  const [rule, , , seconds] = broken;
  const inputs = Object.fromEntries(patterns.map(([name, count]) => [name, count]));
  return refuse(rule, inputs, { waitSeconds: BLOCK_SECONDS[rule] ?? seconds });
}

function refuseOtherCountries({ countryCode }: WantedCall, { ownLimits }: CallerCounters): CallRefusal | null {
  const countries = ownLimits?.countries ?? null;
  return countries === null || countries.includes(countryCode) ? null : refuse("own_countries");
}

function refuseAbovePriceShown({ rate, shownRate }: WantedCall): CallRefusal | null {
  return shownRate === null || costsNoMore(rate, shownRate) ? null : refuse("price");
}

/** How much a call may cost: of several bounds the lowest. */
function budgetOf(call: SpendingCall, seen: CallerCounters, longestCallMicros: Micros): Budget {
  const bounds: Budget[] = [{ micros: longestCallMicros, boundedBy: "longest_call", rule: "not_open" }];
  const { limits, priceClass } = call;
  if (limits !== null) {
    const bySpending = { boundedBy: "spend_limit", rule: "spend" } as const;
    const freshMicros = priceClass === "A" ? null : freshCreditLeft(call, limits, seen);
    // Where both leave the same, a fresh payment is the better explanation: it passes.
    if (freshMicros !== null) bounds.push({ ...bySpending, micros: freshMicros, rule: "fresh_credit" });
    bounds.push({ ...bySpending, micros: limits.spendPerDayMicros - seen.spentInDayMicros });
    if (priceClass === "B") bounds.push({ ...bySpending, micros: limits.spendAboveClassAMicros - seen.spentAboveClassAMicros });
    // A call of class C is measured against what calls of class C have cost.
    if (priceClass === "C") bounds.push({ ...bySpending, micros: limits.spendAboveClassBMicros - seen.spentAboveClassBMicros });
  }
  const own = seen.ownLimits;
  if (own !== null && own.callCapMicros !== null)
    bounds.push({ micros: own.callCapMicros, boundedBy: "call_cap", rule: "call_cap" });
  if (own !== null && own.dailyCapMicros !== null)
    bounds.push({ micros: own.dailyCapMicros - own.spentTodayMicros, boundedBy: "daily_cap", rule: "daily_cap" });
  const lowest = bounds.reduce((least, bound) => (bound.micros < least.micros ? bound : least));
  return { ...lowest, micros: atLeastZero(lowest.micros) };
}

function refuseSpending({ rule, micros }: Budget): CallRefusal {
  if (rule === "call_cap" || rule === "daily_cap") return refuse(rule, {}, { leftMicros: micros });
  return refuse(rule, { leftMicros: micros }, { waitSeconds: DAY_SECONDS });
}

/**
 * What calls above class A may still cost while payments are fresh, because a stolen card is noticed within a day: all
 * credit that was there before, and of each fresh payment the part that the tier allows. Null when nothing is fresh or
 * the tier may use all of it. Ordinary calls use the rest of a fresh payment first.
 */
function freshCreditLeft({ freshPayments }: SpendingCall, { freshCredit }: CallLimits, seen: CallerCounters): Micros | null {
  if (freshPayments.length === 0 || ("percent" in freshCredit && freshCredit.percent >= 100n)) return null;
  const usable = (micros: Micros) =>
    "percent" in freshCredit ? (micros * freshCredit.percent) / 100n : least(micros, freshCredit.micros);
  const sum = (amountOf: (payment: FreshPayment) => Micros) => freshPayments.reduce((total, one) => total + amountOf(one), 0n);
  const freshMicros = sum(({ chargeMicros, bonusMicros }) => chargeMicros + bonusMicros);
  const olderMicros = seen.balanceMicros - seen.heldMicros + seen.spentInDayMicros - freshMicros;
  return atLeastZero(olderMicros) + sum(({ chargeMicros }) => usable(chargeMicros)) - seen.spentAboveClassAMicros;
}

function secondsBetween(from: Date, until: Date): number {
  return Math.max(1, Math.ceil((until.getTime() - from.getTime()) / 1000));
}

function atLeastZero(micros: Micros): Micros {
  return micros > 0n ? micros : 0n;
}

function least(a: Micros, b: Micros): Micros {
  return a < b ? a : b;
}
