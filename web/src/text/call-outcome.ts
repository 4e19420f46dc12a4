import type { Call, EndReason } from "@farline/contract/calls.ts";

/** Text key for why a call ended. A normal end names the side that hung up, if known. */
export function endReasonKey(
  reason: EndReason,
  hungUpBy: Call["hung_up_by"] | undefined,
): `endReason.${EndReason | "hangup_caller" | "hangup_callee"}` {
  return reason === "hangup" && hungUpBy ? `endReason.hangup_${hungUpBy}` : `endReason.${reason}`;
}

/** A call's status as lists show it: a call that its caller hung up before the answer did not fail. */
export function shownStatus({ status, end_reason: reason }: Pick<Call, "status" | "end_reason">): Call["status"] | "cancelled" {
  return status === "failed" && reason === "cancelled" ? "cancelled" : status;
}
