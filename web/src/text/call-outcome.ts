import type { Call, EndReason } from "@farline/contract/calls.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
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

/** How a call that did not go as it should ended. Nobody did anything wrong, so lists show the word in grey, without an amount. */
const OUTCOMES = {
  hangup: "unconnected",
  credit_used_up: "unconnected",
  time_limit: "unconnected",
  own_limit: "unconnected",
  busy: "busy",
  no_answer: "no_answer",
  rejected: "declined",
  cancelled: "cancelled",
  invalid_number: "unreachable",
  network_failure: "unconnected",
  never_connected: "unconnected",
  sound_blocked: "unconnected",
  connection_lost: "lost",
  refused: "unconnected",
  signed_out: "cancelled",
} as const satisfies Record<EndReason, string>;

/** A call's status as people read it: the outcome of one that was not answered or lost its line, otherwise the service's word. */
export function shownStatus({
  status,
  end_reason: reason,
}: Pick<Call, "status" | "end_reason">): Exclude<Call["status"], "failed"> | (typeof OUTCOMES)[EndReason] {
  if (status === "failed") return OUTCOMES[reason ?? "network_failure"];
  return status === "completed" && reason === "connection_lost" ? "lost" : status;
}

/** Whether nothing was or will be paid for a call: the credit for a first call covers `cost`, in dollars, or it cost nothing. */
export function isFreeCall({ free_up_to: free = "0" }: Pick<Call, "free_up_to">, cost: string): boolean {
  return fromDecimalString(cost) <= fromDecimalString(free);
}

/** What a call cost, as lists show it; null while it runs, and for one that was not answered. */
export function callCost(call: Pick<Call, "ended_at" | "answered_at" | "cost" | "free_up_to">): string | null {
  if (call.ended_at === null || call.answered_at === null) return null;
  return isFreeCall(call, call.cost) ? i18n.t("free") : formatCost(call.cost);
}
