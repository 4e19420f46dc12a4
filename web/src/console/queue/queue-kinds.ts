import { sumText, dollarText } from "@farline/contract/operator/words/money-words.ts";
import type { OperationName } from "@farline/contract/operator/operations.ts";
import type { ApprovalResponse, QueueCount, QueueItem, QueueKind } from "@farline/contract/operator/queue.ts";
import { detailWords, proposalWords, subjectWords } from "@farline/contract/operator/words/audit-words.ts";
import { queueWords } from "@farline/contract/operator/words/timeline-words.ts";
import type { DetailWords } from "@farline/contract/operator/words/words.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLocation } from "react-router";
import { consoleRequest } from "../console-request.ts";
import { FRAME } from "../shell/freshness.tsx";

/** The queue's proposals, which wait for a second operator. */
export const PROPOSALS = "/operator/queue?kind=approval";

/** How each kind can be answered, the usual answer first. A proposal's answers depend on who reads it; a refund leaves by itself. */
export const ANSWERS: Readonly<Record<QueueKind, readonly OperationName[]>> = {
  question: ["answer-case", "close-case"],
  refund_request: ["refund-call", "decline-call-refund"],
  dispute: ["handle-dispute", "export-evidence"],
  review: ["unfreeze", "keep-frozen"],
  approval: [],
  slow_refund: [],
};

/** The address of one case. */
export function caseAddress({ kind, id }: Pick<QueueItem, "kind" | "id">): string {
  return `/operator/queue/${kind}/${encodeURIComponent(id)}`;
}

/** Who waits: the customer, or who proposed it. */
export function whoWaits({ customer, approval }: QueueItem): string {
  if (customer !== null) return customer.name === "" ? customer.email : customer.name;
  return approval?.proposed_by.name ?? "The service";
}

/** For example "Refund of a call, $0.81" and "Refund $150.00 for ada@example.com". */
export function caseTitle(item: QueueItem): string {
  if (item.approval !== null) return proposalTitle(item.approval);
  const { title } = queueWords(item);
  return item.amount === null || item.kind === "question" ? title : `${title}, ${amountText(item.kind, item.amount)}`;
}

/** What is at stake: of a frozen account its balance, as the customer reads it. @param amount decimal dollars */
export function amountText(kind: QueueKind, amount: string): string {
  return kind === "review" ? sumText(amount) : dollarText(amount);
}

export function proposalTitle({ action, amount, customer }: ApprovalResponse): string {
  const words = [
    proposalWords(action),
    amount === null ? "" : dollarText(amount),
    customer === null ? "" : `for ${customer.email}`,
  ];
  return words.filter((word) => word !== "").join(" ");
}

/** What a proposal is about, where that has words, and what it would change. */
export function proposalFacts({ action, subject, detail }: ApprovalResponse): DetailWords[] {
  const about = subjectWords(action, subject);
  return [...(about === null ? [] : [{ name: "about", text: about, at: null }]), ...detailWords(detail)];
}

/** How much of each kind waits. Read again when the operator goes to another page, never by a timer: that would keep their session alive. */
export function useQueueCounts(): readonly QueueCount[] {
  const { pathname } = useLocation();
  const counts = useQuery({
    queryKey: ["queue-counts", pathname],
    queryFn: () => consoleRequest("GET /api/operator/queue/counts"),
    placeholderData: keepPreviousData,
    meta: FRAME,
  });
  return counts.data?.counts ?? [];
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;
/** From here on, hours would be too large a number to read. */
const DAYS_FROM_MINUTES = 2 * DAY_MINUTES;

/** Whether a time has passed. @param due ISO 8601 */
export function isLate(due: string, now: Date): boolean {
  return Date.parse(due) < now.getTime();
}

/** Whether it is due within the hour. @param due ISO 8601 */
export function isSoon(due: string, now: Date): boolean {
  return !isLate(due, now) && Date.parse(due) - now.getTime() < HOUR_MINUTES * MINUTE_MS;
}

/** How long until something is due, or since when it is late: "due in 3 h", "2 days late". @param due ISO 8601 */
export function dueText(due: string, now: Date): string {
  const minutes = Math.floor(Math.abs(Date.parse(due) - now.getTime()) / MINUTE_MS);
  return isLate(due, now) ? `${spanText(minutes)} late` : `due in ${spanText(minutes)}`;
}

function spanText(minutes: number): string {
  if (minutes < HOUR_MINUTES) return `${minutes} min`;
  if (minutes < DAYS_FROM_MINUTES) return `${Math.floor(minutes / HOUR_MINUTES)} h`;
  return `${Math.floor(minutes / DAY_MINUTES)} days`;
}
