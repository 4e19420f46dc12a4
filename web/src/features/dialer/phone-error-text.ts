import { i18n } from "../../text/i18n.ts";
import type { PhoneError, PhoneErrorCode } from "../../phone/phone-error.ts";

/** The text shown for a failure: the service's message, otherwise our own. */
export function phoneErrorText(error: PhoneError): string {
  return error.message === "" ? i18n.t(`dialer:error.${error.code}`) : error.message;
}

/** Failures with a technical sentence of their own. */
const WITH_DETAIL = ["line_init_failed", "line_not_connected", "register_failed", "connect_failed", "initiate_failed"] as const;

/** The technical message shown below ours, for support; null if there is none. */
export function phoneErrorDetail({ code, message }: PhoneError): string | null {
  const known = WITH_DETAIL.find((one) => one === code);
  return message === "" && known !== undefined ? i18n.t(`dialer:errorDetail.${known}`) : null;
}

/** Whether the caller can do something about it in the browser or the system: see `sound/call-advice.tsx`. */
export function hasAdvice(code: PhoneErrorCode): boolean {
  return code === "cannot_call" || code === "microphone_denied";
}
