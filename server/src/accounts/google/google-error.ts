import { AppError } from "../../platform/app-error.ts";

/**
 * A failed sign-in with Google.
 * @param why.reason the provider's error code, for example "invalid_grant"; shown after a colon
 */
export function googleFailed(why: { reason?: string; cause?: unknown } = {}): AppError {
  const { reason, cause } = why;
  if (reason === undefined) return new AppError("google_failed", { cause });
  return new AppError("google_failed", { reason: "google_failed_because", detail: reason.slice(0, 100), cause });
}
