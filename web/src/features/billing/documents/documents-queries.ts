import type { DocumentWanted } from "@farline/contract/billing-documents.ts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { downloadFrom } from "../../../browser/save-file.ts";
import { addressOf } from "../../../service/endpoint-address.ts";
import { request } from "../../../service/http.ts";
import { queryKeys } from "../../../service/queries.ts";

const RECEIPTS_OF_A_PAGE = 5;

/** `GET /api/billing/receipts`, newest first. Under the statement's key: they change together. */
export const receiptsQuery = infiniteQueryOptions({
  queryKey: [...queryKeys.transactions, "receipts"],
  queryFn: async ({ pageParam, signal }) => {
    const query = { limit: RECEIPTS_OF_A_PAGE, cursor: pageParam ?? undefined };
    return (await request("GET /api/billing/receipts", { query, signal })).receipts;
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
});

/** `GET /api/billing/receipts/{id}`. It never changes. */
export function receiptQuery(id: string) {
  return queryOptions({
    queryKey: ["receipt", id],
    queryFn: async ({ signal }) => (await request("GET /api/billing/receipts/:id", { params: { id }, signal })).receipt,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** `GET /api/billing/statements`: the first and the last month with a statement. */
export const statementMonthsQuery = queryOptions({
  queryKey: [...queryKeys.transactions, "statements"],
  queryFn: ({ signal }) => request("GET /api/billing/statements", { signal }),
});

/** `GET /api/billing/statements/{month}` */
export function statementQuery(month: string) {
  return queryOptions({
    queryKey: [...queryKeys.transactions, "statements", month],
    queryFn: async ({ signal }) => (await request("GET /api/billing/statements/:month", { params: { month }, signal })).statement,
  });
}

/** Starts the download of a document, with a single-use URL that contains no session token. @throws ApiError */
export async function downloadDocument(wanted: DocumentWanted): Promise<void> {
  const { ticket } = await request("POST /api/billing/document-ticket", { body: wanted });
  downloadFrom(addressOf("GET /api/billing/document", { query: { ticket } }));
}
