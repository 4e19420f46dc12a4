import type { Micros } from "../money.ts";
import { DAY_SECONDS } from "../durations.ts";

/** Each rule that can refuse a call, with the error code sent to clients. */
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

/** Why a call is refused. */
export interface CallRefusal {
  readonly rule: RefusalRule;
  readonly code: (typeof REFUSAL_CODES)[RefusalRule];
  /** Seconds until the rule may allow the call; null if waiting does not help. */
  readonly waitSeconds: number | null;
  /** The rule's inputs, for the log. */
  readonly inputs: Readonly<Record<string, string | number | bigint>>;
  /** For `credit`: the minimum the call needs, the available credit, and the debt to settle first. */
  readonly credit?: { readonly requiredMicros: Micros; readonly availableMicros: Micros; readonly debtMicros: Micros };
  /** For `call_cap` and `daily_cap`: what remains of the caller's own limit. For `first_call_too_short`: what remains of the grant. */
  readonly leftMicros?: Micros;
}

export function refuse(
  rule: RefusalRule,
  inputs: CallRefusal["inputs"] = {},
  more: Partial<Pick<CallRefusal, "waitSeconds" | "credit" | "leftMicros">> = {},
): CallRefusal {
  return { rule, code: REFUSAL_CODES[rule], waitSeconds: null, inputs, ...more };
}

/** How long a pattern of calls blocks the account, in seconds. Other rules refuse only the call. */
export const BLOCK_SECONDS: Readonly<Partial<Record<RefusalRule, number>>> = {
  near_numbers: DAY_SECONDS,
  short_calls: 60 * 60,
};
