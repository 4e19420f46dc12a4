import type { ErrorCode } from "@farline/contract/api/error-codes.ts";
import { waitOf } from "@farline/domain/wait.ts";
import { AppError } from "./app-error.ts";

/**
 * The error for too many attempts. It says when to try again, in words and as `Retry-After`.
 * @param text a sentence that says what, for example "Too many attempts."
 */
export function tooOften(retryAfterSeconds: number, text = "Too many attempts.", code: ErrorCode = "rate_limited"): AppError {
  const { unit, count } = waitOf(retryAfterSeconds);
  const words = count === 1 ? `1 ${unit.slice(0, -1)}` : `${count} ${unit}`;
  return new AppError(code, `${text} Try again in ${words}.`, { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) });
}
