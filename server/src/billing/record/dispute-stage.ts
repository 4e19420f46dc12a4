/**
 * Stage of a dispute. `inquiry`: the bank inquires, no money has moved. `appeal`: lost, but contested once more. `kept`: we have the money,
 * or got it back. `unknown`: a person must look, and no money moves.
 */
export type DisputeStage = "inquiry" | "open" | "appeal" | "lost" | "kept" | "unknown";

/** The provider's status (docs.stripe.com/api/disputes/object, `status`). */
export const DISPUTE_STAGES: Readonly<Record<string, Exclude<DisputeStage, "unknown">>> = {
  warning_needs_response: "inquiry",
  warning_under_review: "inquiry",
  needs_response: "open",
  under_review: "open",
  appeal_needs_response: "appeal",
  appeal_under_review: "appeal",
  lost: "lost",
  won: "kept",
  warning_closed: "kept",
  prevented: "kept",
};

/** The dispute is over, though the bank may reopen it. */
export const FINAL_STATUSES: readonly string[] = Object.keys(DISPUTE_STAGES).filter((status) => isOver(status));

/**
 * Nobody has to act. In every other status, unknown ones included, a dispute waits for a person. The index `dispute_unhandled` repeats
 * this list in this order.
 */
export const RESTING_STATUSES: readonly string[] = [
  "warning_under_review",
  "under_review",
  "appeal_under_review",
  "lost",
  "won",
  "warning_closed",
  "prevented",
];

/** Whether a person must act: the bank waits for our evidence, or we don't know the status. */
export function isWaiting(status: string): boolean {
  return !RESTING_STATUSES.includes(status);
}

export function isOver(status: string): boolean {
  return ["lost", "kept"].includes(stageOf(status));
}

export function stageOf(status: string): DisputeStage {
  return DISPUTE_STAGES[status] ?? "unknown";
}

/** Whether the bank has taken the payment back, temporarily or permanently. */
export function isMoneyTaken(status: string): boolean {
  return ["open", "appeal", "lost"].includes(stageOf(status));
}
