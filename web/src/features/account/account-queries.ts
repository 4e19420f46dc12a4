import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { downloadFrom } from "../../browser/save-file.ts";
import { addressOf } from "../../service/endpoint-address.ts";
import { request } from "../../service/http.ts";
import { callerIdQuery, queryKeys } from "../../service/queries.ts";
import { queryClient, showAnswer } from "../../service/query-client.ts";
import { i18n } from "../../text/i18n.ts";

/** `GET /api/sessions`: the signed-in devices, this one first. */
export const sessionsQuery = queryOptions({
  queryKey: ["account", "sessions"],
  queryFn: async ({ signal }) => (await request("GET /api/sessions", { signal })).sessions,
  staleTime: 0,
  meta: { failure: () => i18n.t("account:devices.loadFailure") },
});

/** `GET /api/account/activity`: account and sign-in events, newest first. */
export const activityQuery = infiniteQueryOptions({
  queryKey: ["account", "activity"],
  queryFn: async ({ pageParam, signal }) => {
    const query = { cursor: pageParam ?? undefined };
    return (await request("GET /api/account/activity", { query, signal })).activity;
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
  staleTime: 0,
  meta: { failure: () => i18n.t("account:activity.loadFailure") },
});

/** Refreshes all account queries after a device or sign-in method changed. */
export async function refreshAccount(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["account"] });
}

/** Refreshes the profile after the name, the address or the password changed. */
export async function refreshProfile(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: queryKeys.user });
}

/** `GET /api/account/export`: the latest copy of the customer's data. A live hint about the account refreshes it. */
export const exportQuery = queryOptions({
  queryKey: [...queryKeys.user, "export"],
  queryFn: async ({ signal }) => (await request("GET /api/account/export", { signal })).export,
  staleTime: 0,
  meta: { failure: () => i18n.t("account:export.loadFailure") },
});

/** Requests a copy. @throws ApiError */
export async function requestExport(): Promise<void> {
  const { export: started } = await request("POST /api/account/export");
  await showAnswer(exportQuery.queryKey, started);
}

/** Starts the download of the copy behind a mailed link. @throws ApiError */
export async function downloadExport(token: string): Promise<void> {
  const { ticket } = await request("POST /api/account/export/ticket", { body: { token } });
  downloadFrom(addressOf("GET /api/account/export/file", { query: { ticket } }));
}

/** `GET /api/account/erasure`: whether the account will be erased, what prevents it, and what stays. */
export const erasureQuery = queryOptions({
  queryKey: [...queryKeys.user, "erasure"],
  queryFn: async ({ signal }) => (await request("GET /api/account/erasure", { signal })).erasure,
  staleTime: 0,
  meta: { failure: () => i18n.t("account:erase.loadFailure") },
});

/** Closes the account, which signs out all devices. @param forfeited the credit that the customer agreed to lose @throws ApiError */
export async function requestErasure(forfeited: string): Promise<string | null> {
  const { erasure } = await request("POST /api/account/erasure", { body: { forfeited } });
  return erasure.at;
}

/** Keeps the account. @throws ApiError */
export async function keepAccount(): Promise<void> {
  const { erasure } = await request("DELETE /api/account/erasure");
  await showAnswer(erasureQuery.queryKey, erasure);
  await queryClient.invalidateQueries({ queryKey: queryKeys.user });
}

/** Stores the service's answer to a change and refreshes the account's activity, which may list it. */
export async function keepCallerId({ caller_id: callerId }: CallerIdResponse): Promise<void> {
  await showAnswer(callerIdQuery.queryKey, callerId);
  void queryClient.invalidateQueries({ queryKey: activityQuery.queryKey });
}
