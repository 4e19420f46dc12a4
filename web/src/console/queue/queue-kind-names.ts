import type { QueueKind } from "@farline/contract/operator/queue.ts";

/** What operators read for each kind. */
export const queueKindNames: Readonly<Record<QueueKind, string>> = {
  question: "Questions",
  refund_request: "Refund requests",
  approval: "Proposals",
  review: "Frozen accounts",
  dispute: "Disputes",
  slow_refund: "Refunds that wait",
};
