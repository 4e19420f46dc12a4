/** What can go wrong between the wish to call and the call. The app has a text for each. */
export type PhoneErrorCode =
  | "microphone_denied"
  | "microphone_missing"
  | "microphone_busy"
  | "other_tab"
  | "line_init_failed"
  | "line_not_connected"
  | "register_failed"
  | "connect_failed"
  | "initiate_failed"
  | "never_connected"
  | "echo_unavailable";

/** What a call needs at least, what is there, and the difference: decimal strings of dollars. */
export interface MissingCredit {
  required: string;
  available: string;
  missing: string;
}

/** A failure to be shown to the caller. `message` is the service's own sentence where there is one, else empty. */
export class PhoneError extends Error {
  readonly code: PhoneErrorCode;
  /** The service's error code, for example `insufficient_credit`; null when the failure is not the service's. */
  readonly serviceCode: string | null;
  readonly credit: MissingCredit | null;

  constructor(
    code: PhoneErrorCode,
    detail: { message?: string; serviceCode?: string; credit?: MissingCredit; cause?: unknown } = {},
  ) {
    super(detail.message ?? "", { cause: detail.cause });
    this.name = "PhoneError";
    this.code = code;
    this.serviceCode = detail.serviceCode ?? null;
    this.credit = detail.credit ?? null;
  }
}

/** Makes any thrown value a PhoneError; one that is not a PhoneError already gets `fallback`. */
export function toPhoneError(thrown: unknown, fallback: PhoneErrorCode): PhoneError {
  return thrown instanceof PhoneError ? thrown : new PhoneError(fallback, { cause: thrown });
}
