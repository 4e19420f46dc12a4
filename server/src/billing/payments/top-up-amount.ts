import { MICROS_PER_DOLLAR, parseDollars, type Micros } from "@farline/domain/money.ts";
import { AppError } from "../../platform/http/app-error.ts";

const LEAST_TOP_UP_MICROS = 5n * MICROS_PER_DOLLAR;
const MOST_TOP_UP_MICROS = 500n * MICROS_PER_DOLLAR;
const MOST_TEST_CREDIT_MICROS = 100n * MICROS_PER_DOLLAR;

/**
 * Reads the amount of a top-up: $5 to $500, whole cents.
 * @throws AppError amount_invalid
 */
export function parseTopUpAmount(input: string | number): Micros {
  const micros = parseAmount(input);
  if (micros < LEAST_TOP_UP_MICROS) throw invalidAmount("Minimum top-up amount is $5");
  if (micros > MOST_TOP_UP_MICROS) throw invalidAmount("Maximum top-up amount is $500");
  return micros;
}

/**
 * Reads an amount of test credit: above 0, at most $100, whole cents.
 * @throws AppError amount_invalid
 */
export function parseTestCreditAmount(input: string | number): Micros {
  const micros = parseAmount(input);
  if (micros === 0n || micros > MOST_TEST_CREDIT_MICROS)
    throw invalidAmount("Test credit is above $0 and at most $100 at a time");
  return micros;
}

function parseAmount(input: string | number): Micros {
  const micros = parseDollars(input);
  if (micros === null) throw invalidAmount("Enter an amount in dollars, for example 10 or 12.50");
  return micros;
}

function invalidAmount(message: string): AppError {
  return new AppError("amount_invalid", message, { fields: { amount: [message] } });
}
