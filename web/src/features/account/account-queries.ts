import type { ActivityResponse } from "@farline/contract/account-activity.ts";
import type { SessionsResponse } from "@farline/contract/account-access.ts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { request } from "../../service/http.ts";
import { i18n } from "../../text/i18n.ts";
import { queryClient } from "../../service/query-client.ts";

/** `GET /api/sessions`: the signed-in devices, this one first. */
export const sessionsQuery = queryOptions({
  queryKey: ["account", "sessions"],
  queryFn: async ({ signal }) => (await request<SessionsResponse>("GET", "/sessions", { signal })).sessions,
  staleTime: 0,
  meta: { failure: () => i18n.t("account:devices.loadFailure") },
});

/** `GET /api/account/activity`: what happened to the account, newest first. */
export const activityQuery = infiniteQueryOptions({
  queryKey: ["account", "activity"],
  queryFn: async ({ pageParam, signal }) => {
    const cursor = pageParam === null ? "" : `?cursor=${encodeURIComponent(pageParam)}`;
    return (await request<ActivityResponse>("GET", `/account/activity${cursor}`, { signal })).activity;
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
