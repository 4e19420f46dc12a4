import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";
import type { RiskTier } from "./risk-tier.ts";

/** What bounds the calls of one account. */
export interface CallLimits {
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
  /** What all calls of 24 hours may cost together. */
  readonly spendPerDayMicros: Micros;
  /** The same, of calls above class A and above class B. */
  readonly spendAboveClassAMicros: Micros;
  readonly spendAboveClassBMicros: Micros;
  /** How much of a payment may go to calls above class A in its first 24 hours: at most this amount, or this share in percent. */
  readonly freshCredit: { readonly micros: Micros } | { readonly percent: bigint };
}

/** An answered call shorter than this is a short call. */
export const SHORT_CALL_MS = 10_000;
/** Numbers that Ofcom reserves for drama. Nobody earns on them, and people who try the service out call them. */
export const DRAMA_NUMBERS_PREFIX = "+442079460";

const dollars = (amount: bigint) => amount * MICROS_PER_DOLLAR;

const NEW_ACCOUNT: CallLimits = {
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

const LIMITS_OF_TIER: Readonly<Record<RiskTier, CallLimits>> = {
  unverified: NEW_ACCOUNT,
  new: NEW_ACCOUNT,
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

/** The limits of a tier, multiplied by the configured scale. Null with a scale of 0: limits are off. */
export function callLimitsOf(tier: RiskTier, scale: number): CallLimits | null {
  return scale === 0 ? null : scaleAll(LIMITS_OF_TIER[tier], scale);
}

function scaleAll<Limits extends object>(limits: Limits, scale: number): Limits {
  const scaled = Object.entries(limits).map(([name, limit]) => [name, scaleOne(limit, scale)]);
  return Object.fromEntries(scaled) as Limits;
}

function scaleOne(limit: number | bigint | object, scale: number): unknown {
  if (typeof limit === "bigint") return BigInt(Math.floor(Number(limit) * scale));
  // A scale below 1 leaves at least one.
  return typeof limit === "number" ? Math.max(1, Math.floor(limit * scale)) : scaleAll(limit, scale);
}
