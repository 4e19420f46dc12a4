import { errorStatus, type ErrorBody, type ErrorCode } from "@farline/contract/errors.ts";

/** Something that can happen and that the caller should hear about. Only `message` and its kin leave the house. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: ErrorBody["errors"];
  readonly credit: ErrorBody["credit"];
  /** Seconds; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      fields?: ErrorBody["errors"];
      credit?: ErrorBody["credit"];
      retryAfterSeconds?: number;
      /** For the log alone. */
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.fields = more.fields;
    this.credit = more.credit;
    this.retryAfterSeconds = more.retryAfterSeconds;
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
      ...(requestId ? { request_id: requestId } : {}),
    };
  }
}
