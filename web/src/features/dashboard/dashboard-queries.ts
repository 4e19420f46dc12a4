import { queryOptions } from "@tanstack/react-query";
import { request } from "../../service/http.ts";
import { queryKeys } from "../../service/queries.ts";
import { i18n } from "../../text/i18n.ts";
import { readerTimeZone } from "../../browser/reader-locale.ts";

const RECENT_CALLS = 5;
const MONTHS = 12;

/** `GET /api/calls/history`: the 5 most recent calls. */
export const recentCallsQuery = queryOptions({
  queryKey: [...queryKeys.calls, "recent"],
  queryFn: async ({ signal }) => (await request("GET /api/calls/history", { query: { limit: RECENT_CALLS }, signal })).calls.data,
  meta: { failure: () => i18n.t("dashboard:recent.failure") },
});

/** `GET /api/calls/summary`: calls and spending of the last year, in the reader's time zone. */
export const summaryQuery = queryOptions({
  queryKey: [...queryKeys.calls, "summary"],
  queryFn: ({ signal }) => {
    const query = { months: MONTHS, time_zone: readerTimeZone() };
    return request("GET /api/calls/summary", { query, signal });
  },
  meta: { failure: () => i18n.t("dashboard:usage.failure") },
});
