import type { ErrorCode } from "@farline/contract/api/error-codes.ts";
import { WAIT_SECONDS, type Reason } from "@farline/texts/reason.ts";
import { AppError } from "../app-error.ts";

/** The error for too many attempts. It says when to try again, in words and as `Retry-After`. */
export function tooOften(seconds: number, reason: Reason = "rate_limited", code: ErrorCode = "rate_limited"): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds));
  return new AppError(code, { reason, params: { [WAIT_SECONDS]: retryAfterSeconds }, retryAfterSeconds });
}
