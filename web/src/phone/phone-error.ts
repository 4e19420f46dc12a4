import type { CallPrice } from "@farline/contract/rates.ts";
import { ServiceRefusal } from "./call/call-service.ts";

/** What can fail between the click on Call Now and the call. The app has a text for each. */
export type PhoneErrorCode =
  | "microphone_denied"
  | "microphone_missing"
  | "microphone_busy"
  | "microphone_muted"
  | "cannot_call"
  | "other_tab"
  | "line_init_failed"
  | "line_not_connected"
  | "register_failed"
  | "connect_failed"
  | "initiate_failed"
  | "never_connected"
  | "sound_blocked"
  | "echo_unavailable";

/** A failure to show to the caller. `message` is the service's own message, or empty. */
export class PhoneError extends Error {
  readonly code: PhoneErrorCode;
  /** The service's error code, for example `insufficient_credit`; null when the failure is not from the service. */
  readonly serviceCode: string | null;
  /** With `price_changed`: what the call costs now. */
  readonly price: CallPrice | null;

  constructor(code: PhoneErrorCode, detail: { message?: string; serviceCode?: string; price?: CallPrice; cause?: unknown } = {}) {
    super(detail.message ?? "", { cause: detail.cause });
    this.name = "PhoneError";
    this.code = code;
    this.serviceCode = detail.serviceCode ?? null;
    this.price = detail.price ?? null;
  }
}

/** Converts any thrown value to a PhoneError. A refusal keeps the service's message; anything else gets the code `fallback`. */
export function toPhoneError(thrown: unknown, fallback: PhoneErrorCode): PhoneError {
  if (thrown instanceof PhoneError) return thrown;
  if (!(thrown instanceof ServiceRefusal)) return new PhoneError(fallback, { cause: thrown });
  const { message, code, price } = thrown;
  return new PhoneError(fallback, {
    message,
    serviceCode: code,
    ...(price === null ? {} : { price }),
    cause: thrown,
  });
}
