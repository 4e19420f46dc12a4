import { billedSeconds, chargeFor, longestCallSeconds, type BillingRate } from "@farline/domain/charge.ts";
import type { CallRow } from "./calls.tables.ts";

/** The rate a call was authorised at. */
export function rateOf(call: CallRow): BillingRate {
  return {
    ratePerMinuteMicros: call.rate_per_minute_micros,
    firstIntervalSeconds: call.first_interval_seconds,
    nextIntervalSeconds: call.next_interval_seconds,
  };
}

/** The longest this call may last, in seconds from the answer: what its hold pays for, within its cap. */
export function maxSecondsOf(call: CallRow): number {
  return longestCallSeconds(call.held_micros, rateOf(call), call.cap_seconds);
}

/** Where a call is cut, and why: its hold is used up, or it has lasted as long as the rules allow. */
export interface CallLimit {
  readonly seconds: number;
  readonly reason: "credit_used_up" | "time_limit";
}

export function limitOf(call: CallRow): CallLimit {
  const holdPaysForCap = call.held_micros >= chargeFor(call.cap_seconds, rateOf(call));
  return { seconds: maxSecondsOf(call), reason: holdPaysForCap ? "time_limit" : "credit_used_up" };
}

/**
 * The final price of a call that lasted `durationMs`: rounded up to whole seconds and increments, never more than its
 * hold, and always what `chargeFor(billedSeconds)` gives, so that the caller can recompute it.
 */
export function priceOf(call: CallRow, durationMs: number): { billedSeconds: number; chargeMicros: bigint } {
  const rate = rateOf(call);
  const billed = Math.min(billedSeconds(Math.ceil(durationMs / 1000), rate), maxSecondsOf(call));
  return { billedSeconds: billed, chargeMicros: chargeFor(billed, rate) };
}
