import type { CallPrice } from "@farline/contract/rates.ts";
import type { CallRefusal, RefusalRule } from "@farline/domain/calls/call-refusal.ts";
import { highestFreeRate } from "@farline/domain/calls/charge.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Reason } from "@farline/texts/reason.ts";
import { insufficientCredit } from "../../ledger/ledger.ts";
import { AppError } from "../../platform/app-error.ts";
import { tooOften } from "../../platform/http/rate-limit.ts";

/** The text shown to the caller, by rule. */
const REASONS: Readonly<Record<Exclude<RefusalRule, "credit" | "price">, Reason>> = {
  frozen: "account_frozen",
  email_not_confirmed: "email_not_confirmed",
  not_open: "destination_not_open",
  trusted_only: "destination_trusted_only",
  too_expensive: "destination_too_expensive",
  margin: "destination_paused",
  breaker: "destination_paused",
  first_call_only: "first_call_only",
  first_call_too_short: "first_call_too_short",
  live_calls: "too_many_live_calls",
  calls_in_a_time: "calls_too_often",
  blocked: "calls_paused",
  near_numbers: "calls_paused",
  short_calls: "calls_paused",
  same_number: "same_number_called",
  numbers: "numbers_called_total",
  countries: "numbers_called_countries",
  own_countries: "country_not_allowed",
  family_ended: "family_ended",
  family_credit: "family_credit_unavailable",
  family_countries: "family_country_not_allowed",
  family_daily_cap: "family_daily_cap_reached",
  family_monthly_cap: "family_monthly_cap_reached",
  call_cap: "call_cap_too_low",
  daily_cap: "daily_cap_reached",
  spend: "spend_limit_reached",
  fresh_credit: "fresh_credit",
};

/** Rules whose text also says when to try again. */
const TOO_OFTEN: ReadonlySet<RefusalRule> = new Set([
  ...(["calls_in_a_time", "blocked", "near_numbers", "short_calls", "same_number", "numbers", "countries", "spend"] as const),
]);

/** The error returned for a refused call. @param price the current price of the call */
export function refusalError(refused: CallRefusal, price: CallPrice): AppError {
  const { rule, code, waitSeconds, credit, leftMicros } = refused;
  if (rule === "credit") {
    if (credit === undefined) throw new Error("A refusal for insufficient credit must contain the amounts.");
    return insufficientCredit(credit);
  }
  if (rule === "price") return new AppError(code, { reason: "price_changed", params: { rate: price.rate_per_minute }, price });
  const left = rule === "first_call_too_short" ? highestFreeRate(leftMicros ?? 0n) : leftMicros;
  const reason = REASONS[rule];
  const params = left === undefined ? undefined : { left: toDecimalString(left) };
  if (waitSeconds === null) return new AppError(code, { reason, params });
  return TOO_OFTEN.has(rule)
    ? tooOften(waitSeconds, reason, code)
    : new AppError(code, { reason, params, retryAfterSeconds: waitSeconds });
}
