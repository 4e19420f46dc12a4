import type { CallPrice } from "@farline/contract/rates.ts";
import type { CallRefusal, RefusalRule } from "@farline/domain/calls/call-refusal.ts";
import { highestFreeRate } from "@farline/domain/calls/charge.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { insufficientCredit } from "../../ledger/ledger.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { tooOften } from "../../platform/http/too-often.ts";

const PAUSED = "Calls from your account are paused, because they look automatic. Write to us if they are not.";
const DESTINATION_PAUSED = "Calls to this destination are paused for now. Try again later.";
const MANY_CALLS = "Too many calls in a short time.";
const MANY_NUMBERS = "You called many different numbers in one day.";
const MANY_COUNTRIES = "You called many different countries in one day.";
const CHANGE_THEM = "You can change your limits in your account.";

/** The text shown to the caller, by rule. Rules in TOO_OFTEN get the time to wait appended. */
const TEXTS: Readonly<Record<Exclude<RefusalRule, "credit" | "price">, string | ((left: string) => string)>> = {
  frozen: "Your account is locked. Contact us.",
  email_not_confirmed: "Confirm your email address to call this destination. We sent you a link.",
  not_open: "Calls to this destination are not open to new accounts.",
  too_expensive: "We do not connect calls to destinations as expensive as this one.",
  margin: DESTINATION_PAUSED,
  breaker: DESTINATION_PAUSED,
  first_call_only: "The free first call does not reach this destination. Top up to call it.",
  first_call_too_short: (left) =>
    `Your free first call is for numbers that cost up to $${left} per minute. Top up to call this one.`,
  live_calls: "You already have a call. End it first.",
  calls_in_a_time: MANY_CALLS,
  blocked: PAUSED,
  near_numbers: PAUSED,
  short_calls: PAUSED,
  same_number: "You called this number many times.",
  numbers: MANY_NUMBERS,
  countries: MANY_COUNTRIES,
  own_countries: `Your own limits do not allow calls to this country. ${CHANGE_THEM}`,
  call_cap: (left) => `Your own limit per call is $${left}, which is too little for this call. ${CHANGE_THEM}`,
  daily_cap: (left) => `You have reached your own limit for today: $${left} of it is left. ${CHANGE_THEM}`,
  spend: "You have spent what your account may spend on calls like this in one day.",
  fresh_credit:
    "Most of a new payment can be used for calls like this only after 24 hours. For calls to less expensive destinations all of it can be used now.",
};

/** Rules whose text also says when to try again. */
const TOO_OFTEN: ReadonlySet<RefusalRule> = new Set([
  ...(["calls_in_a_time", "blocked", "near_numbers", "short_calls", "same_number", "numbers", "countries", "spend"] as const),
]);

/** The error returned for a refused call. @param price what the call costs now */
export function refusalError(refused: CallRefusal, price: CallPrice): AppError {
  const { rule, code, waitSeconds, credit, leftMicros } = refused;
  if (rule === "credit") {
    if (credit === undefined) throw new Error("A refusal for too little credit must contain the amounts.");
    return insufficientCredit(credit);
  }
  if (rule === "price")
    return new AppError(code, `The price is now $${price.rate_per_minute} per minute. Confirm it to call.`, { price });
  const entry = TEXTS[rule];
  const text =
    typeof entry === "string"
      ? entry
      : entry(toDecimalString(rule === "first_call_too_short" ? highestFreeRate(leftMicros ?? 0n) : (leftMicros ?? 0n)));
  if (waitSeconds === null) return new AppError(code, text);
  return TOO_OFTEN.has(rule) ? tooOften(waitSeconds, text, code) : new AppError(code, text, { retryAfterSeconds: waitSeconds });
}
