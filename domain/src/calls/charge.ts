import type { Micros } from "../money.ts";

/** What a call is charged by. Seconds are whole and at least 1: "60/6" means the first minute, then blocks of 6 s. */
export interface BillingRate {
  readonly ratePerMinuteMicros: bigint;
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
}

const SECONDS_PER_MINUTE = 60n;
/** Shorter calls are not worth starting: the minimum hold covers this long. */
const LEAST_CALL_SECONDS = 60;
/** A shorter free first call is not worth offering. */
const LEAST_FREE_CALL_SECONDS = 30;

/**
 * The seconds a call is charged for: its length rounded up to whole increments. A call that was not answered has
 * length 0 and stays 0.
 * @throws RangeError when the length is negative or not a number, or an interval is not a whole second or more.
 */
export function billedSeconds(seconds: number, rate: BillingRate): number {
  assertIntervals(rate);
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError("A call's length must be 0 seconds or more.");
  const whole = Math.ceil(seconds);
  if (whole === 0) return 0;
  const beyondFirst = Math.max(0, whole - rate.firstIntervalSeconds);
  return rate.firstIntervalSeconds + Math.ceil(beyondFirst / rate.nextIntervalSeconds) * rate.nextIntervalSeconds;
}

/** The charge for a call of `seconds`: billed seconds × rate / 60, rounded up once, to the next micro-dollar. */
export function chargeFor(seconds: number, rate: BillingRate): Micros {
  return ceilDiv(rate.ratePerMinuteMicros * BigInt(billedSeconds(seconds, rate)), SECONDS_PER_MINUTE);
}

/**
 * The longest call, in whole increments, whose charge `availableMicros` pays and that is not longer than `capSeconds`.
 * 0 when not even the first increment fits.
 */
export function longestCallSeconds(availableMicros: Micros, rate: BillingRate, capSeconds: number): number {
  assertIntervals(rate);
  const cap = Math.floor(capSeconds);
  if (!Number.isSafeInteger(cap) || cap < 0) throw new RangeError("A call's cap must be 0 seconds or more.");
  if (availableMicros < 0n) return 0;
  const seconds = paidSeconds(availableMicros, rate.ratePerMinuteMicros, cap);
  if (seconds < rate.firstIntervalSeconds) return 0;
  const further = Math.floor((seconds - rate.firstIntervalSeconds) / rate.nextIntervalSeconds);
  return rate.firstIntervalSeconds + further * rate.nextIntervalSeconds;
}

/** The credit that must be free before a call may start: the price of its first increment, or of a minute if that is longer. */
export function minimumHold(rate: BillingRate): Micros {
  return chargeFor(Math.max(rate.firstIntervalSeconds, LEAST_CALL_SECONDS), rate);
}

/** What must be left of the grant for a free first call: the price of half a minute, in whole increments. */
export function leastFreeCallHold(rate: BillingRate): Micros {
  return chargeFor(LEAST_FREE_CALL_SECONDS, rate);
}

/** The highest price per minute, charged by the second, at which the grant pays for the shortest free first call. */
export function dearestFreeRate(grantLeftMicros: Micros): Micros {
  return (grantLeftMicros * SECONDS_PER_MINUTE) / BigInt(LEAST_FREE_CALL_SECONDS);
}

/** Seconds the credit pays for before increments, at most `cap`: the charge rounds up, so the seconds round down. */
function paidSeconds(availableMicros: Micros, ratePerMinuteMicros: bigint, cap: number): number {
  if (ratePerMinuteMicros === 0n) return cap;
  return Math.min(cap, Number((availableMicros * SECONDS_PER_MINUTE) / ratePerMinuteMicros));
}

function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function assertIntervals(rate: BillingRate): void {
  for (const interval of [rate.firstIntervalSeconds, rate.nextIntervalSeconds])
    if (!Number.isSafeInteger(interval) || interval < 1)
      throw new RangeError("A billing interval must be a whole second or more.");
  if (rate.ratePerMinuteMicros < 0n) throw new RangeError("A rate must not be negative.");
}
