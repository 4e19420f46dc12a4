import { NO_GUARD_RAILS } from "../src/calls/guard-rails.ts";
import { CALL_LIMITS, scaleCallLimits, type CallLimits } from "../src/calls/call-limits.ts";
import { priceClassOf } from "../src/calls/call-terms.ts";
import { decideCall, type CallerCounters, type ProposedCall } from "../src/calls/decide-call.ts";
import type { RiskTier } from "../src/calls/risk-tier.ts";

export const AT = new Date("2026-11-23T12:00:00Z");
export const DOLLAR = 1_000_000n;
export const [ORDINARY, EXPENSIVE, MOST_EXPENSIVE] = [20_000n, 400_000n, 900_000n];

export function proposedCall(more: Partial<ProposedCall> & { perMinute?: bigint } = {}): ProposedCall {
  const { perMinute = ORDINARY, tier = "trusted", ...rest } = more;
  return {
    at: AT,
    destination: "+442071234567",
    countryCode: "GB",
    rate: { ratePerMinuteMicros: perMinute, firstIntervalSeconds: 1, nextIntervalSeconds: 1 },
    shownRate: null,
    priceClass: priceClassOf(perMinute, null),
    risk: null,
    hasMargin: true,
    breakers: [],
    callerIsFrozen: false,
    isOnFamilyCredit: false,
    payerIsFrozen: false,
    tier,
    limits: scaleCallLimits(CALL_LIMITS[tier], 1),
    freshPayments: [],
    hasOnlyFirstCall: false,
    ...rest,
  };
}

export const QUIET: CallerCounters = {
  balanceMicros: 1_000n * DOLLAR,
  heldMicros: 0n,
  debtMicros: 0n,
  bonusMicros: 0n,
  grantLeftMicros: 0n,
  liveCalls: 0,
  payerLiveCalls: 0,
  startedAtMs: [],
  block: null,
  sameNumberInHour: 0,
  nearNumbersInHour: 0,
  shortCallsInHour: 0,
  otherNumbersInDay: 0,
  otherCountriesInDay: 0,
  spentInDayMicros: 0n,
  spentAboveClassAMicros: 0n,
  spentAboveClassBMicros: 0n,
  ownLimits: null,
  family: null,
};
export const NO_OWN_LIMITS = { ...NO_GUARD_RAILS, spentTodayMicros: 0n };
export const seen = (more: Partial<CallerCounters>): CallerCounters => ({ ...QUIET, ...more });
export const limitsOf = (tier: RiskTier): CallLimits => scaleCallLimits(CALL_LIMITS[tier], 1) as CallLimits;
export const held = (call: ProposedCall, counters: CallerCounters) => decideCall(call, counters).allowed;
export const refused = (call: ProposedCall, counters: CallerCounters) => decideCall(call, counters).refused;
