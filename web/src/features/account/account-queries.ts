import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { request } from "../../service/http.ts";
import { i18n } from "../../text/i18n.ts";
import { queryClient } from "../../service/query-client.ts";

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
