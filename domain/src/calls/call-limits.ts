import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";
import type { RiskTier } from "./risk-tier.ts";

/** Limits on the calls of one account. */
export interface CallLimits {
  readonly liveCalls: number;
  readonly callsPerMinute: number;
  readonly callsPerHour: number;
  readonly callsPerDay: number;
  readonly sameNumberPerHour: number;
  readonly numbersPerDay: number;
  readonly countriesPerDay: number;
  /** Calling this many different numbers in one block of 1,000 within an hour blocks the account for a day. */
  readonly nearNumbersPerHour: number;
  /** This many answered calls below `SHORT_CALL_MS` within an hour block the account for an hour. */
  readonly shortCallsPerHour: number;
  /** Total cost of all calls in 24 hours. */
  readonly spendPerDayMicros: Micros;
  /** The same for calls above class A, and for those above class B. */
  readonly spendAboveClassAMicros: Micros;
  readonly spendAboveClassBMicros: Micros;
  /** How much of a payment may be spent on calls above class A in its first 24 hours: an amount, or a percentage. */
  readonly freshCredit: { readonly micros: Micros } | { readonly percent: bigint };
}

/** An answered call shorter than this is a short call. */
export const SHORT_CALL_MS = 10_000;
/** Numbers that Ofcom reserves for drama. They earn nobody money, and people who try the service call them. */
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

/** The default limits of each tier. */
export const CALL_LIMITS: Readonly<Record<RiskTier, CallLimits>> = {
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
    // A company's extensions have consecutive numbers, and these customers call companies.
    nearNumbersPerHour: 10,
    shortCallsPerHour: 10,
    spendPerDayMicros: dollars(150n),
    spendAboveClassAMicros: dollars(75n),
    spendAboveClassBMicros: dollars(30n),
    freshCredit: { percent: 100n },
  },
};

/** Limits multiplied by the configured scale. A scale of 0 turns limits off and returns null. */
export function scaleCallLimits(limits: CallLimits, scale: number): CallLimits | null {
  return scale === 0 ? null : scaleAll(limits, scale);
}

function scaleAll<Limits extends object>(limits: Limits, scale: number): Limits {
  const scaled = Object.entries(limits).map(([name, limit]) => [name, scaleOne(limit, scale)]);
  return Object.fromEntries(scaled) as Limits;
}

function scaleOne(limit: number | bigint | object, scale: number): unknown {
  if (typeof limit === "bigint") return BigInt(Math.floor(Number(limit) * scale));
  // Counts stay at least 1.
  return typeof limit === "number" ? Math.max(1, Math.floor(limit * scale)) : scaleAll(limit, scale);
}
