import type { SipMessage, SipResponse } from "@farline/sip/message/message.ts";
import { parseReasons, q850Cause } from "@farline/sip/message/reason.ts";
import { header } from "@farline/sip/message/response.ts";

/** No carrier's text is longer. */
const MAX_TEXT = 200;

export interface FarReason {
  readonly text: string | null;
  readonly q850Cause: number | null;
}

/** The Retry-After of a 503 (RFC 3261 §21.5.4). With other statuses it speaks of the called party, not of the carrier. */
export function retryAfterOf(response: SipResponse): number | undefined {
  const seconds = response.status === 503 ? /^\s*(\d{1,9})/.exec(header(response, "retry-after") ?? "")?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds);
}

/** The Reason headers of a message (RFC 3326). */
export function readReason(message: SipMessage): FarReason {
  const reasons = parseReasons(message.headers.get("reason") ?? []);
  const text = reasons.map((reason) => reason.text ?? "").find((stated) => stated !== "");
  return { text: text?.slice(0, MAX_TEXT) ?? null, q850Cause: q850Cause(reasons) };
}
