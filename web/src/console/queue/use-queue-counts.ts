import type { QueueCount } from "@farline/contract/operator/queue.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLocation } from "react-router";
import { consoleRequest } from "../console-request.ts";

/** How much of each kind waits. Read again when the operator goes to another page, never by a timer: that would keep their session alive. */
export function useQueueCounts(): readonly QueueCount[] {
  const { pathname } = useLocation();
  const counts = useQuery({
    queryKey: ["queue-counts", pathname],
    queryFn: () => consoleRequest("GET /api/operator/queue/counts"),
    placeholderData: keepPreviousData,
  });
  return counts.data?.counts ?? [];
}
