import type { Call, EndReason } from "./calls.ts";

/** How a call that did not go as it should ended. Nobody did anything wrong, so people read the word, in grey and without an amount. */
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
