import type { ExportDownloadResponse, ExportResponse } from "@farline/contract/personal-data/export.ts";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../../../service/http.ts";
import { queryClient } from "../../../service/query-client.ts";
import { queryKeys } from "../../../service/queries.ts";
import { i18n } from "../../../text/i18n.ts";

/** `GET /api/account/export`: the latest copy of the customer's data. A live hint about the account refreshes it. */
export const exportQuery = queryOptions({
  queryKey: [...queryKeys.user, "export"],
  queryFn: async ({ signal }) => (await request<ExportResponse>("GET", "/account/export", { signal })).export,
  staleTime: 0,
  meta: { failure: () => i18n.t("account:export.loadFailure") },
});

/** Starts a copy. @throws ApiError */
export async function requestExport(): Promise<void> {
  const { export: started } = await request<ExportResponse>("POST", "/account/export");
  queryClient.setQueryData(exportQuery.queryKey, started);
}

/** Starts the download of the copy that a mailed link is about. @throws ApiError */
export async function downloadExport(token: string): Promise<void> {
  const { ticket } = await request<ExportDownloadResponse>("POST", "/account/export/ticket", { body: { token } });
  // An attachment: the page stays where it is.
  globalThis.location.assign(`/api/account/export/file?ticket=${encodeURIComponent(ticket)}`);
}
