import type { QueueCount, QueueKind } from "@farline/contract/operator/queue.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLocation } from "react-router";
import { consoleRequest } from "../console-request.ts";
import { FRAME } from "../shell/freshness.tsx";

/** The queue's proposals, which wait for a second operator. */
export const PROPOSALS = "/operator/queue?kind=approval";

/** What operators read for each kind. */
export const queueKindNames: Readonly<Record<QueueKind, string>> = {
  question: "Questions",
  refund_request: "Refund requests",
  approval: "Proposals",
  review: "Frozen accounts",
  dispute: "Disputes",
  slow_refund: "Refunds that wait",
};

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
