import type { Micros } from "../money.ts";
import { DAY_SECONDS } from "../durations.ts";

/**
 * Each rule that can refuse a call: the error code sent to programs, the name of its text (null: the ledger knows it, by the amounts), and
 * whether its refusals suggest abuse, so that they are logged.
 */
export const REFUSAL_RULES = {
  frozen: { code: "account_frozen", text: "account_frozen", suggestsAbuse: false },
  email_not_confirmed: { code: "email_not_confirmed", text: "email_not_confirmed", suggestsAbuse: true },
  not_open: { code: "destination_not_open", text: "destination_not_open", suggestsAbuse: true },
  trusted_only: { code: "destination_not_open", text: "destination_trusted_only", suggestsAbuse: true },
  too_expensive: { code: "destination_blocked", text: "destination_too_expensive", suggestsAbuse: true },
  margin: { code: "destination_paused", text: "destination_paused", suggestsAbuse: true },
  breaker: { code: "destination_paused", text: "destination_paused", suggestsAbuse: true },
  first_call_only: { code: "destination_blocked", text: "first_call_only", suggestsAbuse: false },
  first_call_too_short: { code: "first_call_too_short", text: "first_call_too_short", suggestsAbuse: false },
  live_calls: { code: "too_many_live_calls", text: "too_many_live_calls", suggestsAbuse: true },
  calls_in_a_time: { code: "rate_limited", text: "calls_too_often", suggestsAbuse: true },
  blocked: { code: "calls_paused", text: "calls_paused", suggestsAbuse: true },
  near_numbers: { code: "calls_paused", text: "calls_paused", suggestsAbuse: true },
  short_calls: { code: "calls_paused", text: "calls_paused", suggestsAbuse: true },
  same_number: { code: "rate_limited", text: "same_number_called", suggestsAbuse: true },
  numbers: { code: "too_many_destinations", text: "numbers_called_total", suggestsAbuse: true },
  countries: { code: "too_many_destinations", text: "numbers_called_countries", suggestsAbuse: true },
  own_countries: { code: "country_not_allowed", text: "country_not_allowed", suggestsAbuse: false },
  family_ended: { code: "family_credit_unavailable", text: "family_ended", suggestsAbuse: false },
  family_credit: { code: "family_credit_unavailable", text: "family_credit_unavailable", suggestsAbuse: false },
  family_countries: { code: "country_not_allowed", text: "family_country_not_allowed", suggestsAbuse: false },
  family_daily_cap: { code: "family_limit_reached", text: "family_daily_cap_reached", suggestsAbuse: false },
  family_monthly_cap: { code: "family_limit_reached", text: "family_monthly_cap_reached", suggestsAbuse: false },
  price: { code: "price_changed", text: "price_changed", suggestsAbuse: false },
  call_cap: { code: "call_cap_too_low", text: "call_cap_too_low", suggestsAbuse: false },
  daily_cap: { code: "daily_cap_reached", text: "daily_cap_reached", suggestsAbuse: false },
  spend: { code: "spend_limit_reached", text: "spend_limit_reached", suggestsAbuse: true },
  fresh_credit: { code: "fresh_credit", text: "fresh_credit", suggestsAbuse: true },
  credit: { code: "insufficient_credit", text: null, suggestsAbuse: false },
} as const;

export type RefusalRule = keyof typeof REFUSAL_RULES;

/** Why a call is refused. */
export interface CallRefusal {
  readonly rule: RefusalRule;
  readonly code: (typeof REFUSAL_RULES)[RefusalRule]["code"];
  /** Seconds until the rule may allow the call; null if waiting does not help. */
  readonly waitSeconds: number | null;
  /** The rule's inputs, for the log. */
  readonly inputs: Readonly<Record<string, string | number | bigint>>;
  /** For `credit`: the minimum the call needs, the available credit, and the debt to settle first. */
  readonly credit?: { readonly requiredMicros: Micros; readonly availableMicros: Micros; readonly debtMicros: Micros };
  /** For limits by the caller or the family's owner: what remains of them. For `first_call_too_short`: what remains of the grant. */
  readonly leftMicros?: Micros;
}

export function refuse(
  rule: RefusalRule,
  inputs: CallRefusal["inputs"] = {},
  more: Partial<Pick<CallRefusal, "waitSeconds" | "credit" | "leftMicros">> = {},
): CallRefusal {
  return { rule, code: REFUSAL_RULES[rule].code, waitSeconds: null, inputs, ...more };
}

/** How long a pattern of calls blocks the account, in seconds. Other rules refuse only the call. */
const blockSeconds = { near_numbers: DAY_SECONDS, short_calls: 60 * 60 } as const;
export type BlockRule = keyof typeof blockSeconds;
export const BLOCK_SECONDS: Readonly<Partial<Record<RefusalRule, number>>> = blockSeconds;
