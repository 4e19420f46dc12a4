import type { CallProblem } from "../calls/call-leg.ts";
import type { NumberProblem } from "../calls/verification/number-checks.ts";

/** A response in the provider's error format: {"errors":[{code,title,detail}]}. */
export class TelnyxError extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;

  constructor(status: number, code: string, title: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
    this.title = title;
  }
}

export const notFound = (detail: string): TelnyxError => new TelnyxError(404, "10005", "Resource not found", detail);
export const invalid = (detail: string): TelnyxError => new TelnyxError(422, "10015", "Invalid parameter", detail);

export function fromCallProblem(problem: CallProblem): TelnyxError {
  switch (problem.code) {
    case "unknown":
      return notFound(problem.message);
    case "ended":
      return new TelnyxError(422, "90018", "Call has already ended", "This call is no longer active and can't receive commands.");
    case "bad_destination":
    case "bad_caller":
    case "bad_digits":
    case "bad_limit":
      return invalid(problem.message);
    default:
      return new TelnyxError(422, "90053", "Call cannot take this command now", problem.message);
  }
}

export function fromNumberProblem(problem: NumberProblem): TelnyxError {
  switch (problem.code) {
    case "not_possible":
      return new TelnyxError(403, "10010", "Authorization failed", problem.message);
    case "busy":
    case "too_many":
      return new TelnyxError(429, "10011", "Too many requests", problem.message);
    case "no_check":
      return notFound(problem.message);
    default:
      return invalid(problem.message);
  }
}
