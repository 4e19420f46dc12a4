import type { PriceClass } from "@farline/domain/calls/call-terms.ts";
import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";
import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";

/** How much an account may do, as data. Everything here is multiplied by the configured scale, 0 of which turns it off. */

/** The same for everybody. */
export const countLimits = {
  tokensPerMinute: 10,
  echoTestsPerHour: 10,
  extensionsPerMinute: 20,
} as const;

interface CallLimits {
  readonly liveCalls: number;
  readonly callsPerMinute: number;
  readonly callsPerHour: number;
  readonly callsPerDay: number;
  readonly sameNumberPerHour: number;
  readonly numbersPerDay: number;
  readonly countriesPerDay: number;
  /** Different numbers within one thousand in an hour: this many stop the account for a day. */
  readonly nearNumbersPerHour: number;
  /** Answered calls below `SHORT_CALL_MS` in an hour: this many stop the account for an hour. */
  readonly shortCallsPerHour: number;
  /** What calls of 24 hours may cost in all. */
  readonly spendPerDayMicros: Micros;
  /** The same, of calls above class A and above class B. */
  readonly spendAboveClassAMicros: Micros;
  readonly spendAboveClassBMicros: Micros;
  /** How much of a payment may go to calls above class A in its first 24 hours: so much, or this share of it in percent. */
  readonly freshCredit: { readonly micros: Micros } | { readonly percent: bigint };
}

const dollars = (amount: bigint) => amount * MICROS_PER_DOLLAR;

const ofNewAccounts: CallLimits = {
  liveCalls: 1,
  callsPerMinute: 6,
  callsPerHour: 40,
  callsPerDay: 120,
  sameNumberPerHour: 12,
  numbersPerDay: 25,
  countriesPerDay: 5,
  nearNumbersPerHour: 4,
  shortCallsPerHour: 10,
  spendPerDayMicros: dollars(30n),
  spendAboveClassAMicros: dollars(10n),
  spendAboveClassBMicros: 0n,
  freshCredit: { micros: dollars(5n) },
};

export const CALL_LIMITS: Readonly<Record<RiskTier, CallLimits>> = {
  unverified: ofNewAccounts,
  new: ofNewAccounts,
  known: {
    liveCalls: 1,
    callsPerMinute: 6,
    callsPerHour: 60,
    callsPerDay: 200,
    sameNumberPerHour: 20,
    numbersPerDay: 60,
    countriesPerDay: 10,
    nearNumbersPerHour: 4,
    shortCallsPerHour: 10,
    spendPerDayMicros: dollars(75n),
    spendAboveClassAMicros: dollars(30n),
    spendAboveClassBMicros: dollars(10n),
    freshCredit: { percent: 50n },
  },
  trusted: {
    liveCalls: 2,
    callsPerMinute: 10,
    callsPerHour: 90,
    callsPerDay: 300,
    sameNumberPerHour: 20,
    numbersPerDay: 100,
    countriesPerDay: 15,
    // A firm's extensions lie side by side, and these customers call firms.
    nearNumbersPerHour: 10,
    shortCallsPerHour: 10,
    spendPerDayMicros: dollars(150n),
    spendAboveClassAMicros: dollars(75n),
    spendAboveClassBMicros: dollars(30n),
    freshCredit: { percent: 100n },
  },
};

const SHORT_CALL_MS = 10_000;
/** Numbers that Ofcom keeps for drama: nobody has them, so nobody earns on them, and whoever tries the service out calls them. */
const EARNS_NOTHING = "^\\+442079460";

/** How long a broken rule stops an account, in milliseconds. The other rules only refuse the call. */
export const blocksAccountMs: Readonly<Record<string, number>> = {
  near_numbers: 24 * 60 * 60 * 1000,
  short_calls: 60 * 60 * 1000,
};

/**
 * The rules as `authorise_call` and `extend_call` take them for a call of this class; null when limits are off.
 * @param freshMicros what calls above class A may cost in 24 hours while payments are fresh; null: no payment bounds them
 */
export function rulesFor(
  scale: number,
  call: { readonly tier: RiskTier; readonly priceClass: PriceClass; readonly freshMicros: Micros | null },
): Record<string, number | string> | null {
  if (scale === 0) return null;
  const limits = CALL_LIMITS[call.tier];
  const count = (limit: number) => scaled(limit, scale) ?? 0;
  const isDearest = call.priceClass === "C";
  const dear = scaledMicros(isDearest ? limits.spendAboveClassBMicros : limits.spendAboveClassAMicros, scale);
  return {
    near_numbers_per_hour: count(limits.nearNumbersPerHour),
    short_calls_per_hour: count(limits.shortCallsPerHour),
    same_number_per_hour: count(limits.sameNumberPerHour),
    numbers_per_day: count(limits.numbersPerDay),
    countries_per_day: count(limits.countriesPerDay),
    spend_per_day_micros: Number(scaledMicros(limits.spendPerDayMicros, scale)),
    dear_spend_per_day_micros: Number(dear),
    // A call of class C is measured against what calls of class C have cost.
    dear_above_class: isDearest ? "B" : "A",
    ...(call.freshMicros !== null && { fresh_spend_per_day_micros: Number(call.freshMicros) }),
    short_call_ms: SHORT_CALL_MS,
    earns_nothing: EARNS_NOTHING,
  };
}

/** How long a ticket is good, from the answer that carries it. */
export const TICKET_LIFE_SECONDS = 60;
/** How long the called phone may ring. */
export const RING_LIMIT_SECONDS = 60;
/** A call may be seen this much after its limit before the service ends it: the provider's own limit comes first. */
export const LIMIT_GRACE_SECONDS = 5;

/** The scaled limit, or null when limits are off. A scale below 1 leaves at least one. */
export function scaled(limit: number, scale: number): number | null {
  return scale === 0 ? null : Math.max(1, Math.floor(limit * scale));
}

/** An amount, scaled. */
export function scaledMicros(micros: Micros, scale: number): Micros {
  return BigInt(Math.floor(Number(micros) * scale));
}
