import { type Call, callResponse, historyResponse } from "@farline/contract/calls.ts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { request } from "../../lib/http.ts";
import { i18n } from "../../lib/i18n.ts";
import { queryKeys } from "../../lib/queries.ts";

/** How often a page asks about calls that are not over. */
const LIVE_REFRESH_MS = 5000;

export function isOver(call: Call): boolean {
  return call.status === "completed" || call.status === "failed";
}

/** `GET /api/calls/history`, newest first, page by page. Asked again while a call in it is not over. */
export const historyQuery = infiniteQueryOptions({
  queryKey: [...queryKeys.calls, "history", "pages"],
  queryFn: async ({ pageParam, signal }) => {
    const cursor = pageParam === null ? "" : `?cursor=${encodeURIComponent(pageParam)}`;
    return (await request("GET", `/calls/history${cursor}`, historyResponse, { signal })).calls;
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: ({ state }) =>
    state.data?.pages.some((page) => page.data.some((call) => !isOver(call))) ? LIVE_REFRESH_MS : false,
  meta: { failure: () => i18n.t("history:failure") },
});

/** `GET /api/calls/{id}`. Asked again until the call is over. */
export function callQuery(id: string) {
  return queryOptions({
    queryKey: [...queryKeys.calls, id],
    queryFn: async ({ signal }) => (await request("GET", `/calls/${encodeURIComponent(id)}`, callResponse, { signal })).call,
    refetchInterval: ({ state }) => (state.data !== undefined && !isOver(state.data) ? LIVE_REFRESH_MS : false),
    meta: { failure: () => i18n.t("history:callFailure") },
  });
}
