import { errorStatus, type ErrorCode } from "@farline/contract/api/error-codes.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { inEnglish } from "@farline/texts/english.ts";
import type { Params, Reason, MessageRef } from "@farline/texts/reason.ts";

/** Codes that have a text of the same name. The others need a more specific reason. */
type CodeWithText = Extract<ErrorCode, Reason>;

interface Details {
  /** Names the text; defaults to the code. */
  readonly reason?: Reason;
  readonly params?: Params;
  /** The invalid field. */
  readonly field?: string;
  /** For a form with several invalid fields: the text of each. */
  readonly fields?: Readonly<Record<string, MessageRef>>;
  readonly credit?: ErrorBody["credit"];
  readonly price?: ErrorBody["price"];
  readonly challenge?: ErrorBody["challenge"];
  readonly sessionEnded?: ErrorBody["session_ended"];
  readonly choices?: ErrorBody["choices"];
  /** Seconds; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The reason as an external service worded it; shown after the message and a colon. */
  readonly detail?: string;
  /** Only logged. */
  readonly cause?: unknown;
}

/** An expected error that is reported to the caller. Its texts are in `texts/<language>/service.json`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** Reason and parameters, for pages that render the text themselves. */
  readonly messageRef: MessageRef;
  readonly #details: Details;

  constructor(code: CodeWithText, details?: Details);
  constructor(code: ErrorCode, details: Details & { readonly reason: Reason });
  constructor(code: ErrorCode, details: Details = {}) {
    const { reason = code as CodeWithText, params, cause } = details;
    const messageRef = { reason, params };
    super(inEnglish(messageRef), { cause });
    this.code = code;
    this.messageRef = messageRef;
    this.#details = details;
  }

  get status(): number {
    return errorStatus[this.code];
  }

  /** Seconds; sent as `Retry-After`. */
  get retryAfterSeconds(): number | undefined {
    return this.#details.retryAfterSeconds;
  }

  /** With `insufficient_credit`: dollars. */
  get credit(): ErrorBody["credit"] {
    return this.#details.credit;
  }

  /** The invalid fields, each with its text. */
  get fields(): Readonly<Record<string, MessageRef>> {
    const { field, fields } = this.#details;
    return field === undefined ? (fields ?? {}) : { [field]: this.messageRef };
  }

  body(requestId?: string): ErrorBody {
    const { credit, price, challenge, sessionEnded, choices, detail } = this.#details;
    const fields = Object.entries(this.fields);
    return {
      message: this.message,
      code: this.code,
      ...this.messageRef,
      ...(fields.length > 0
        ? {
            errors: Object.fromEntries(fields.map(([name, messageRef]) => [name, [inEnglish(messageRef)]])),
            reasons: this.fields,
          }
        : {}),
      ...(credit ? { credit } : {}),
      ...(price ? { price } : {}),
      ...(challenge ? { challenge } : {}),
      ...(sessionEnded ? { session_ended: sessionEnded } : {}),
      ...(choices ? { choices } : {}),
      ...(detail === undefined ? {} : { error: detail }),
      ...(requestId ? { request_id: requestId } : {}),
    };
  }
}
