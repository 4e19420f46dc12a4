import { billedSeconds, chargeFor, longestCallSeconds, type BillingRate } from "@farline/domain/calls/charge.ts";
import type { HoldBound } from "@farline/domain/calls/decide-call.ts";
import type { CallRow } from "./calls.tables.ts";

/** What a call's price follows from. */
type PricedCall = Pick<
  CallRow,
  "rate_per_minute_micros" | "first_interval_seconds" | "next_interval_seconds" | "held_micros" | "cap_seconds"
>;

/** The rate a call was authorised at. */
export function rateOf(call: PricedCall): BillingRate {
  return {
    ratePerMinuteMicros: call.rate_per_minute_micros,
    firstIntervalSeconds: call.first_interval_seconds,
    nextIntervalSeconds: call.next_interval_seconds,
  };
}

/** How long the call's hold pays for, within its cap, in seconds from the answer. */
export function paidSecondsOf(call: PricedCall): number {
  return longestCallSeconds(call.held_micros, rateOf(call), call.cap_seconds);
}

/**
 * The call's limit in seconds from the answer: the time that the hold pays for, or less until the provider has accepted the limit of
 * a grown hold.
 */
export function maxSecondsOf(call: CallRow): number {
  return call.limit_seconds ?? paidSecondsOf(call);
}

/** When a call is cut, and why: its hold is used up, or a rule limits its length. */
export interface CallLimit {
  readonly seconds: number;
  /** Upper bound of the charge. The provider may apply a longer limit before the service has stored it. */
  readonly paidSeconds: number;
  readonly reason: "credit_used_up" | "time_limit" | "own_limit";
  /** Whether the silence before a lost side is given up may be free: only if the called side cannot profit from faking it. */
  readonly silenceMayBeFree: boolean;
}

const REASONS: Readonly<Record<HoldBound, CallLimit["reason"]>> = {
  credit: "credit_used_up",
  longest_call: "time_limit",
  spend_limit: "time_limit",
  call_cap: "own_limit",
  daily_cap: "own_limit",
  family_limit: "own_limit",
};

export function limitOf(call: CallRow): CallLimit {
  const [seconds, paidSeconds] = [maxSecondsOf(call), paidSecondsOf(call)];
  // The hold has grown, but the provider still applies the old limit, where the original credit ends.
  const reason = seconds < paidSeconds ? "credit_used_up" : REASONS[call.bounded_by];
  return { seconds, paidSeconds, reason, silenceMayBeFree: call.price_class === "A" };
}

/**
 * The final price of a call that lasted `durationMs`: rounded up to whole seconds and increments, never more than its
 * hold, and always equal to `chargeFor(billedSeconds)`, so that the caller can recompute it.
 */
export function priceOf(call: PricedCall, durationMs: number): { billedSeconds: number; chargeMicros: bigint } {
  const rate = rateOf(call);
  const billed = Math.min(billedSeconds(Math.ceil(durationMs / 1000), rate), paidSecondsOf(call));
  return { billedSeconds: billed, chargeMicros: chargeFor(billed, rate) };
}
