/** Stage of a dispute. `inquiry`: the bank inquires, no money has moved. `kept`: we have the money, or got it back. */
export type DisputeStage = "inquiry" | "open" | "lost" | "kept";

/** The provider's status (docs.stripe.com/api/disputes/object, `status`). */
export const DISPUTE_STAGES: Readonly<Record<string, DisputeStage>> = {
  warning_needs_response: "inquiry",
  warning_under_review: "inquiry",
  needs_response: "open",
  under_review: "open",
  appeal_needs_response: "open",
  appeal_under_review: "open",
  lost: "lost",
  won: "kept",
  warning_closed: "kept",
  prevented: "kept",
};

/** The dispute is over, though the bank may reopen it. */
export const FINAL_STATUSES: readonly string[] = Object.keys(DISPUTE_STAGES).filter((status) =>
  ["lost", "kept"].includes(DISPUTE_STAGES[status] ?? ""),
);

/** The bank waits for our evidence. */
export const WAITING_STATUSES = ["needs_response", "warning_needs_response"] as const;

/** Whether the bank waits for our evidence. */
export function isWaiting(status: string): boolean {
  return (WAITING_STATUSES as readonly string[]).includes(status);
}

/** Unknown statuses are treated as open. */
export function stageOf(status: string): DisputeStage {
  return DISPUTE_STAGES[status] ?? "open";
}

/** Whether the bank has taken the payment back, temporarily or permanently. */
export function isMoneyTaken(status: string): boolean {
  const stage = stageOf(status);
  return stage === "open" || stage === "lost";
}
