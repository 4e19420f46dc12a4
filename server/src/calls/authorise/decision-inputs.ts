import type { CallerCounters, ProposedCall } from "@farline/domain/calls/decide-call.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { DecisionInputs } from "../record/calls.tables.ts";

/** What a call was allowed by, as operators read it later: the tier and its limits may have changed since. */
export function decisionInputs(call: ProposedCall, caller: CallerCounters): DecisionInputs {
  const dollars = (micros: bigint | null | undefined) =>
    micros === null || micros === undefined ? null : toDecimalString(micros);
  return {
    tier: call.tier,
    risk: call.risk,
    available: dollars(caller.balanceMicros - caller.heldMicros),
    bonus: dollars(caller.bonusMicros),
    first_call_left: dollars(caller.grantLeftMicros),
    live_calls: caller.liveCalls,
    calls_in_day: caller.startedAtMs.length,
    same_number_in_hour: caller.sameNumberInHour,
    other_numbers_in_day: caller.otherNumbersInDay,
    other_countries_in_day: caller.otherCountriesInDay,
    short_calls_in_hour: caller.shortCallsInHour,
    spent_in_day: dollars(caller.spentInDayMicros),
    spend_limit_per_day: dollars(call.limits?.spendPerDayMicros),
    own_call_cap: dollars(caller.ownLimits?.callCapMicros),
    own_daily_cap: dollars(caller.ownLimits?.dailyCapMicros),
  };
}
