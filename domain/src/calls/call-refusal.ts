import type { Micros } from "../money.ts";
import { DAY_SECONDS } from "../durations.ts";

/** Each rule that can refuse a call, with the error code by which clients know it. */
export const REFUSAL_CODES = {
  frozen: "account_frozen",
  email_not_confirmed: "email_not_confirmed",
  not_open: "destination_not_open",
  too_expensive: "destination_blocked",
  margin: "destination_paused",
  breaker: "destination_paused",
  first_call_only: "destination_blocked",
  first_call_too_short: "first_call_too_short",
  live_calls: "too_many_live_calls",
  calls_in_a_time: "rate_limited",
  blocked: "calls_paused",
  near_numbers: "calls_paused",
  short_calls: "calls_paused",
  same_number: "rate_limited",
  numbers: "too_many_destinations",
  countries: "too_many_destinations",
  own_countries: "country_not_allowed",
  price: "price_changed",
  call_cap: "call_cap_too_low",
  daily_cap: "daily_cap_reached",
  spend: "spend_limit_reached",
  fresh_credit: "fresh_credit",
  credit: "insufficient_credit",
} as const;

export type RefusalRule = keyof typeof REFUSAL_CODES;

/** Why a call may not be made. */
export interface CallRefusal {
  readonly rule: RefusalRule;
  readonly code: (typeof REFUSAL_CODES)[RefusalRule];
  /** Seconds until the rule may allow it; null: waiting does not help. */
  readonly waitSeconds: number | null;
  /** What the rule saw, for the log. */
  readonly inputs: Readonly<Record<string, string | number | bigint>>;
  /** Of `credit`: what the call needs at least, what is free, and what is owed first. */
  readonly credit?: { readonly requiredMicros: Micros; readonly availableMicros: Micros; readonly debtMicros: Micros };
  /** Of `call_cap` and `daily_cap`: what the caller's own limit leaves. Of `first_call_too_short`: what is left of the grant. */
  readonly leftMicros?: Micros;
}

export function refuse(
  rule: RefusalRule,
  inputs: CallRefusal["inputs"] = {},
  more: Partial<Pick<CallRefusal, "waitSeconds" | "credit" | "leftMicros">> = {},
): CallRefusal {
  return { rule, code: REFUSAL_CODES[rule], waitSeconds: null, inputs, ...more };
}

/** How long a pattern of calls stops the account, in seconds. The other rules refuse only the call. */
export const BLOCK_SECONDS: Readonly<Partial<Record<RefusalRule, number>>> = {
  near_numbers: DAY_SECONDS,
  short_calls: 60 * 60,
};
