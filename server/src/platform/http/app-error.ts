import type { ErrorBody } from "@farline/contract/errors.ts";
import { errorStatus, type ErrorCode } from "@farline/contract/api/error-codes.ts";

/** An expected error that is reported to the caller. Only `message` and the details below are sent. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: ErrorBody["errors"];
  readonly credit: ErrorBody["credit"];
  readonly price: ErrorBody["price"];
  readonly challenge: ErrorBody["challenge"];
  readonly sessionEnded: ErrorBody["session_ended"];
  readonly choices: ErrorBody["choices"];
  /** Seconds; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** The reason as an external service worded it. */
  readonly reason: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      fields?: ErrorBody["errors"];
      credit?: ErrorBody["credit"];
      price?: ErrorBody["price"];
      challenge?: ErrorBody["challenge"];
      sessionEnded?: ErrorBody["session_ended"];
      choices?: ErrorBody["choices"];
      retryAfterSeconds?: number;
      reason?: string;
      /** Only logged. */
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.fields = more.fields;
    this.credit = more.credit;
    this.price = more.price;
    this.challenge = more.challenge;
    this.sessionEnded = more.sessionEnded;
    this.choices = more.choices;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.reason = more.reason;
  }

  get status(): number {
    return errorStatus[this.code];
  }

  body(requestId?: string): ErrorBody {
    return {
      message: this.message,
      code: this.code,
      ...(this.fields ? { errors: this.fields } : {}),
      ...(this.credit ? { credit: this.credit } : {}),
      ...(this.price ? { price: this.price } : {}),
      ...(this.challenge ? { challenge: this.challenge } : {}),
      ...(this.sessionEnded ? { session_ended: this.sessionEnded } : {}),
      ...(this.choices ? { choices: this.choices } : {}),
      ...(this.reason === undefined ? {} : { error: this.reason }),
      ...(requestId ? { request_id: requestId } : {}),
    };
  }
}
