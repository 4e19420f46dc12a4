import type { CallFilter } from "@farline/contract/call-history.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import { CallList, type ListState } from "./call-list.ts";
import { newestCallsQuery, readCalls } from "./history-queries.ts";

/** The loaded calls that match a filter; null until the first page has loaded. */
export function useCallList(filter: CallFilter): { state: ListState | null; loadMore: () => void } {
  const { data: newest } = useQuery(newestCallsQuery(filter));
  const key = JSON.stringify(newest?.filter ?? filter);
  const list = useMemo(() => {
    const own = JSON.parse(key) as CallFilter;
    return new CallList((cursor) => readCalls(own, cursor));
  }, [key]);
  // Runs before paint so that an empty list never flashes.
  useLayoutEffect(() => {
    if (newest !== undefined) list.takeTop(newest);
  }, [list, newest]);
  const state = useSyncExternalStore(list.subscribe, list.state);
  const loadMore = useCallback(() => void list.loadMore(), [list]);
  const ready = newest !== undefined && (state.calls.length > 0 || newest.calls.length === 0);
  return { state: ready ? state : null, loadMore };
}
