import { fromDecimalString, type Micros } from "../money.ts";

/** A price with its increments, which are whole seconds: "60/6" means the first minute, then blocks of 6 s. */
export interface BillingRate {
  readonly ratePerMinuteMicros: bigint;
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
}

const SECONDS_PER_MINUTE = 60n;
/** The minimum hold covers a call of this length; a shorter one is not worth starting. */
const MIN_CALL_SECONDS = 60;
/** A shorter free first call is not worth offering. */
export const MIN_FREE_CALL_SECONDS = 30;

/**
 * The seconds for which a call is charged: its length, rounded up to whole increments. An unanswered call has length 0 and is
 * charged for 0 seconds.
 * @throws RangeError if the length is negative or not finite, or an interval is not a positive whole number
 */
export function billedSeconds(seconds: number, rate: BillingRate): number {
  assertIntervals(rate);
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError("A call's length must be 0 seconds or more.");
  const whole = Math.ceil(seconds);
  if (whole === 0) return 0;
  const beyondFirst = Math.max(0, whole - rate.firstIntervalSeconds);
  return rate.firstIntervalSeconds + Math.ceil(beyondFirst / rate.nextIntervalSeconds) * rate.nextIntervalSeconds;
}

/** The charge for a call: billed seconds × rate / 60, rounded up once, to the next micro-dollar. */
export function chargeFor(seconds: number, rate: BillingRate): Micros {
  return ceilDiv(rate.ratePerMinuteMicros * BigInt(billedSeconds(seconds, rate)), SECONDS_PER_MINUTE);
}

/**
 * The longest call, in whole increments, that `availableMicros` pays for and that does not exceed `capSeconds`. 0 if not even the
 * first increment fits.
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

/** The credit that must be available to start a call: the price of a minute, or of the first increment if that is longer. */
export function minimumHold(rate: BillingRate): Micros {
  return chargeFor(Math.max(rate.firstIntervalSeconds, MIN_CALL_SECONDS), rate);
}

/** What must remain of the grant for a free first call: the price of half a minute, in whole increments. */
export function minimumFreeCallHold(rate: BillingRate): Micros {
  return chargeFor(MIN_FREE_CALL_SECONDS, rate);
}

/** The highest price per minute, billed by the second, at which the grant pays for the shortest free first call. */
export function highestFreeRate(grantLeftMicros: Micros): Micros {
  return (grantLeftMicros * SECONDS_PER_MINUTE) / BigInt(MIN_FREE_CALL_SECONDS);
}

/** Seconds that the credit pays for before increments, at most `cap`. Rounded down, because charges round up. */
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

/** Whether nothing was or will be paid for a call: the credit for a first call covers `cost`, in dollars, or it cost nothing. */
export function isFreeCall({ free_up_to: free = "0" }: { readonly free_up_to?: string }, cost: string): boolean {
  return fromDecimalString(cost) <= fromDecimalString(free);
}
