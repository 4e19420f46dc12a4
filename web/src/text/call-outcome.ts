import type { Call, EndReason } from "@farline/contract/calls.ts";
import { isFreeCall } from "@farline/domain/calls/charge.ts";
import { formatCost } from "./format.ts";
import { i18n } from "./i18n.ts";

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

/** What a call cost, as lists show it; null while it runs, and for one that was not answered. */
export function callCost(call: Pick<Call, "ended_at" | "answered_at" | "cost" | "free_up_to">): string | null {
  if (call.ended_at === null || call.answered_at === null) return null;
  return isFreeCall(call, call.cost) ? i18n.t("free") : formatCost(call.cost);
}
