import { CALL_LIMITS, scaleCallLimits, type CallLimits } from "@farline/domain/calls/call-limits.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { CallerCounters } from "@farline/domain/calls/decide-call.ts";
import type { LedgerModel } from "../ledger-model.ts";

export const simRates: readonly BillingRate[] = [
  [21_000n, 1, 1] as const,
  [150_000n, 1, 1] as const,
  [600_000n, 6, 6] as const,
  [314_159n, 60, 60] as const,
  [99_999n, 30, 6] as const,
].map(([ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds]) => ({
  ratePerMinuteMicros,
  firstIntervalSeconds,
  nextIntervalSeconds,
}));

/** Two calls at a time; the other limits are out of reach. */
export const simLimits: CallLimits = { ...(scaleCallLimits(CALL_LIMITS.new, 1_000_000) as CallLimits), liveCalls: 2 };

/** The counters of a caller that a game can affect. */
export function countersOf(account: LedgerModel, liveCalls: number): CallerCounters {
  return {
    balanceMicros: account.balance,
    heldMicros: account.held,
    debtMicros: account.debt,
    bonusMicros: account.bonus,
    grantLeftMicros: 0n,
    liveCalls,
    payerLiveCalls: liveCalls,
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
}
