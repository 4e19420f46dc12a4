import type { TransactionGroup } from "@farline/contract/billing.ts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { request } from "../../service/http.ts";
import { i18n } from "../../text/i18n.ts";
import { queryKeys } from "../../service/queries.ts";

/** `GET /api/billing/packages` */
export const packagesQuery = queryOptions({
  queryKey: queryKeys.packages,
  queryFn: async ({ signal }) => (await request("GET /api/billing/packages", { signal })).packages,
  staleTime: 5 * 60_000,
  meta: { failure: () => i18n.t("billing:packagesFailure") },
});

/** `GET /api/billing/transactions` of a group, newest first, page by page. */
export function transactionsQuery(group: TransactionGroup) {
  return infiniteQueryOptions({
    queryKey: [...queryKeys.transactions, "list", group],
    queryFn: async ({ pageParam, signal }) => {
      const query = { group, cursor: pageParam ?? undefined };
      return (await request("GET /api/billing/transactions", { query, signal })).transactions;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    meta: { failure: () => i18n.t("billing:transactionsFailure") },
  });
}
