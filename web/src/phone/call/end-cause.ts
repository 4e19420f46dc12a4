import type { EndReason } from "@farline/contract/calls.ts";
import { voiceCode, type VoiceCall } from "../line/voice-client.ts";

/**
 * The line's reason for the end of a call, shown until the service reports its own.
 * Causes are FreeSWITCH's, an open set; SIP codes are those of RFC 3261 §21.
 */
export function reasonFromCause(call: Pick<VoiceCall, "cause" | "causeCode" | "sipCode">, wasAnswered: boolean): EndReason {
  if (wasAnswered) return "hangup";
  // The exchange rang nobody, because our sound never reached it.
  if (call.cause === "MEDIA_TIMEOUT") return "sound_blocked";
  const bySip = reasonFromSip(call.sipCode ?? null);
  if (bySip !== null) return bySip;
  switch (call.cause) {
    // Busy comes with a SIP status; without one it is the SDK's word for a call that it could not set up itself.
    case "USER_BUSY":
      return "never_connected";
    case "NO_ANSWER":
    case "NO_USER_RESPONSE":
      return "no_answer";
    case "CALL_REJECTED":
      return "rejected";
    case "UNALLOCATED_NUMBER":
    case "INVALID_NUMBER_FORMAT":
      return "invalid_number";
    case "ORIGINATOR_CANCEL":
      return "cancelled";
    default:
      return "network_failure";
  }
}

function reasonFromSip(code: number | null): EndReason | null {
  if (code === null || code < 300) return null;
  if (code === 486 || code === 600) return "busy";
  if (code === 480 || code === 408) return "no_answer";
  if (code === 403 || code === 603) return "rejected";
  if (code === 404 || code === 484 || code === 604) return "invalid_number";
  if (code === 487) return "cancelled";
  return "network_failure";
}

/**
 * The end reason that an SDK error on a call implies. The SDK hangs up such a call by itself and then wrongly reports
 * "busy", so the error decides.
 */
export function reasonFromVoiceError(code: number, wasAnswered: boolean): EndReason | null {
  const lost: EndReason = wasAnswered ? "connection_lost" : "never_connected";
  if (code === voiceCode.sessionNotReattached || code === voiceCode.reconnectionExhausted) return lost;
  // 40001 to 40005 session description, 42001 to 42003 microphone, 44005 closed while being set up.
  if ((code >= 40001 && code <= 40005) || (code >= 42001 && code <= 42003) || code === 44005) return lost;
  return null;
}
