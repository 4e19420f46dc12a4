import type { CallPrice } from "@farline/contract/rates.ts";
import { REFUSAL_RULES, type CallRefusal, type RefusalRule } from "@farline/domain/calls/call-refusal.ts";
import { highestFreeRate } from "@farline/domain/calls/charge.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { insufficientCredit } from "../../ledger/ledger.ts";
import { AppError } from "../../platform/app-error.ts";
import { tooOften } from "../../platform/http/rate-limit.ts";

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
  const { text: reason } = REFUSAL_RULES[rule];
  if (rule === "price") return new AppError(code, { reason, params: { rate: price.rate_per_minute }, price });
  const left = rule === "first_call_too_short" ? highestFreeRate(leftMicros ?? 0n) : leftMicros;
  const params = left === undefined ? undefined : { left: toDecimalString(left) };
  if (waitSeconds === null) return new AppError(code, { reason, params });
  return TOO_OFTEN.has(rule)
    ? tooOften(waitSeconds, reason, code)
    : new AppError(code, { reason, params, retryAfterSeconds: waitSeconds });
}
