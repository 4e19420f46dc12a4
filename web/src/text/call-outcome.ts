import type { Call, EndReason } from "@farline/contract/calls.ts";

/** Key of the text for why a call ended: an ordinary end names the side that hung up, where that is known. */
export function endReasonKey(
  reason: EndReason,
  hungUpBy: Call["hung_up_by"] | undefined,
): `endReason.${EndReason | "hangup_caller" | "hangup_callee"}` {
  return reason === "hangup" && hungUpBy ? `endReason.hangup_${hungUpBy}` : `endReason.${reason}`;
}

/** A call's status as lists show it: nothing failed when the caller hung up before the answer. */
export function shownStatus({ status, end_reason: reason }: Pick<Call, "status" | "end_reason">): Call["status"] | "cancelled" {
  return status === "failed" && reason === "cancelled" ? "cancelled" : status;
}
