import type { Call, EndReason } from "@farline/contract/calls.ts";

/**
 * Text key for why a call ended. A normal end names the side that hung up, if known; a call that was refused after its answer was ended
 * by us.
 */
export function endReasonKey(
  reason: EndReason,
  call: Pick<Call, "hung_up_by" | "answered_at"> | null,
): `endReason.${EndReason | "hangup_caller" | "hangup_callee" | "ended_by_us"}` {
  if (reason === "refused" && call !== null && call.answered_at !== null) return "endReason.ended_by_us";
  return reason === "hangup" && call?.hung_up_by ? `endReason.hangup_${call.hung_up_by}` : `endReason.${reason}`;
}

/** A call's status as lists show it: a call that its caller hung up before the answer did not fail. */
export function shownStatus({ status, end_reason: reason }: Pick<Call, "status" | "end_reason">): Call["status"] | "cancelled" {
  return status === "failed" && reason === "cancelled" ? "cancelled" : status;
}
