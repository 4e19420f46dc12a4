import type { SipMessage } from "@farline/sip/message/message.ts";
import { parseReasons, q850Cause } from "@farline/sip/message/reason.ts";

/** No carrier's text is longer. */
const MAX_TEXT = 200;

export interface FarReason {
  readonly text: string | null;
  readonly q850Cause: number | null;
}

/** The Reason headers of a message (RFC 3326). */
export function readReason(message: SipMessage): FarReason {
  const reasons = parseReasons(message.headers.get("reason") ?? []);
  const text = reasons.map((reason) => reason.text ?? "").find((stated) => stated !== "");
  return { text: text?.slice(0, MAX_TEXT) ?? null, q850Cause: q850Cause(reasons) };
}
