import type { RefundReason } from "@farline/contract/call-details.ts";
import type { CallFilter, CallTotals } from "@farline/contract/call-history.ts";
import type { Call } from "@farline/contract/calls.ts";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { addressOf } from "../../service/endpoint-address.ts";
import { request } from "../../service/http.ts";
import { keepSeen, MAX_SEEN_ROWS, startFromSeen } from "../../service/last-seen.ts";
import { i18n } from "../../text/i18n.ts";
import { queryKeys } from "../../service/queries.ts";
import { listed, type ListPage } from "./call-list.ts";

/** Polling interval for calls in progress. */
const LIVE_REFRESH_MS = 5000;
const CALLS_AT_ONCE = 100;

export function isOver({ status }: Pick<Call, "status">): boolean {
  return status === "completed" || status === "failed";
}

/** `GET /api/calls/history`: a page of the calls that match the filter. */
export async function readCalls(filter: CallFilter, cursor: string | null, signal?: AbortSignal): Promise<ListPage> {
  const query = { ...filter, limit: CALLS_AT_ONCE, cursor: cursor ?? undefined };
  const { calls } = await request("GET /api/calls/history", { query, signal });
  return { calls: calls.data.map(listed), nextCursor: calls.next_cursor };
}

const isAll = (filter: CallFilter): boolean => Object.keys(filter).length === 0;

/** The newest calls that match the filter. Polled while one of them is in progress. */
export function newestCallsQuery(filter: CallFilter) {
  return queryOptions({
    queryKey: [...queryKeys.calls, "history", "newest", filter],
    // Return the filter with its calls: the old calls stay on screen while new ones load.
    queryFn: async ({ signal }): Promise<ListPage & { filter: CallFilter }> => {
      const page = await readCalls(filter, null, signal);
      if (isAll(filter)) keepSeen("calls", page.calls.slice(0, MAX_SEEN_ROWS));
      return { ...page, filter };
    },
    ...startFromSeen(isAll(filter) ? "calls" : null, (calls: ListPage["calls"]) => ({ calls, nextCursor: null, filter })),
    refetchInterval: ({ state }) => (state.data?.calls.some((call) => !isOver(call)) ? LIVE_REFRESH_MS : false),
    placeholderData: keepPreviousData,
    meta: { failure: () => i18n.t("history:failure") },
  });
}

/** `GET /api/calls/totals`: totals of all calls that match the filter. */
export function totalsQuery(filter: CallFilter) {
  return queryOptions({
    queryKey: [...queryKeys.calls, "totals", filter],
    queryFn: async ({ signal }) => {
      const { totals } = await request("GET /api/calls/totals", { query: filter, signal });
      if (isAll(filter)) keepSeen("totals", totals);
      return totals;
    },
    ...startFromSeen(isAll(filter) ? "totals" : null, (totals: CallTotals) => totals),
    placeholderData: keepPreviousData,
  });
}

/** `GET /api/calls/countries`: the countries called. */
export const calledCountriesQuery = queryOptions({
  queryKey: [...queryKeys.calls, "countries"],
  queryFn: async ({ signal }) => (await request("GET /api/calls/countries", { signal })).countries,
});

/** A single-use URL to download the calls that match the filter. @throws ApiError */
export async function exportAddress(filter: CallFilter): Promise<string> {
  const { ticket } = await request("POST /api/calls/export-ticket", { body: filter });
  return addressOf("GET /api/calls/export", { query: { ticket } });
}

/** `GET /api/calls/{id}`. Polled until the call is over. */
export function callQuery(id: string) {
  return queryOptions({
    queryKey: [...queryKeys.calls, id],
    queryFn: async ({ signal }) => (await request("GET /api/calls/:id", { params: { id }, signal })).call,
    refetchInterval: ({ state }) => (state.data !== undefined && !isOver(state.data) ? LIVE_REFRESH_MS : false),
    meta: { failure: () => i18n.t("history:callFailure") },
  });
}

/** `GET /api/calls/{id}/details`: its ledger entries, its quality, and any refund request. */
export function callDetailsQuery(call: Pick<Call, "id" | "status">) {
  return queryOptions({
    queryKey: [...queryKeys.calls, call.id, "details", isOver(call)],
    queryFn: ({ signal }) => request("GET /api/calls/:id/details", { params: { id: call.id }, signal }),
    meta: { failure: () => i18n.t("history:callFailure") },
  });
}

/** `POST /api/calls/{id}/refund-request` @throws ApiError */
export async function askRefund(callId: string, body: { reason: RefundReason; note: string }): Promise<void> {
  await request("POST /api/calls/:id/refund-request", { params: { id: callId }, body });
}
