import { MAX_TOP_UP_MICROS, MIN_TOP_UP_MICROS } from "@farline/domain/business/top-up-limits.ts";
import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";
import type { Reason } from "@farline/texts/reason.ts";
import { AppError } from "../../platform/app-error.ts";

const MAX_TEST_CREDIT_MICROS = 100n * MICROS_PER_DOLLAR;

/**
 * Checks the amount of a top-up: $5 to $500.
 * @throws AppError amount_invalid
 */
export function checkTopUpAmount(micros: Micros): Micros {
  if (micros < MIN_TOP_UP_MICROS) throw invalidAmount("top_up_at_least");
  if (micros > MAX_TOP_UP_MICROS) throw invalidAmount("top_up_at_most");
  return micros;
}

/**
 * Checks an amount of test credit: above $0, at most $100.
 * @throws AppError amount_invalid
 */
export function checkTestCreditAmount(micros: Micros): Micros {
  if (micros === 0n || micros > MAX_TEST_CREDIT_MICROS) throw invalidAmount("test_credit_between");
  return micros;
}

function invalidAmount(reason: Reason): AppError {
  return new AppError("amount_invalid", { reason, field: "amount" });
}
