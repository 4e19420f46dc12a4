import type { AutoTopUpRequest } from "@farline/contract/auto-top-up.ts";
import type { DocumentWanted } from "@farline/contract/billing-documents.ts";
import type { TransactionGroup, TransactionsResponse, WithdrawalResponse } from "@farline/contract/billing.ts";
import type { PromoCheckResponse } from "@farline/contract/promotions.ts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { downloadFrom } from "../../browser/save-file.ts";
import { addressOf } from "../../service/endpoint-address.ts";
import { request } from "../../service/http.ts";
import { queryKeys } from "../../service/queries.ts";
import { showAnswer } from "../../service/query-client.ts";
import { autoTopUpQuery, PROVIDER_TIMEOUT_MS } from "../../ui/money/checkout.ts";
import { keepSeen, MAX_SEEN_ROWS, startFromSeen } from "../../service/last-seen.ts";
import { i18n } from "../../text/i18n.ts";

type TransactionPage = TransactionsResponse["transactions"];

/** `GET /api/billing/transactions` of a group, newest first, page by page. */
export function transactionsQuery(group: TransactionGroup) {
  return infiniteQueryOptions({
    queryKey: [...queryKeys.transactions, "list", group],
    queryFn: async ({ pageParam, signal }) => {
      const query = { group, cursor: pageParam ?? undefined };
      const page = (await request("GET /api/billing/transactions", { query, signal })).transactions;
      if (group === "all" && pageParam === null)
        keepSeen("transactions", { ...page, data: page.data.slice(0, MAX_SEEN_ROWS), next_cursor: null });
      return page;
    },
    ...startFromSeen(group === "all" ? "transactions" : null, (page: TransactionPage) => ({
      pages: [page],
      pageParams: [null as string | null],
    })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    meta: { failure: () => i18n.t("billing:transactionsFailure") },
  });
}

/** `POST /api/billing/payments/{id}/end`. @throws ApiError */
export async function endCheckout(paymentId: string): Promise<void> {
  await request("POST /api/billing/payments/:id/end", { params: { id: paymentId }, timeoutMs: PROVIDER_TIMEOUT_MS });
}

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

/** The service asks the card provider before it answers. */
const WITHDRAW_TIMEOUT_MS = 45_000;

/** `GET /api/billing/withdrawals`: what can be withdrawn, and earlier withdrawals, newest first. Under the statement's key: they change together. */
export const withdrawalsQuery = infiniteQueryOptions({
  queryKey: [...queryKeys.transactions, "withdrawals"],
  queryFn: ({ pageParam, signal }) =>
    request("GET /api/billing/withdrawals", { query: { limit: 3, cursor: pageParam ?? undefined }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.withdrawals.next_cursor,
});

/** `GET /api/billing/withdrawals/quote`: what a withdrawal of this amount would do now. Under the statement's key: they change together. */
export function withdrawalQuoteQuery(amount: string) {
  return queryOptions({
    queryKey: [...queryKeys.transactions, "withdrawals", "quote", amount],
    queryFn: ({ signal }) => request("GET /api/billing/withdrawals/quote", { query: { amount }, signal }),
    retry: false,
    gcTime: 60_000,
  });
}

/** `POST /api/billing/withdrawals`. @param requestKey the same for all attempts of one withdrawal. @throws ApiError */
export function withdraw(
  body: { readonly amount: string; readonly bonus_shown: string },
  requestKey: string,
): Promise<WithdrawalResponse> {
  return request("POST /api/billing/withdrawals", {
    body,
    headers: { "Idempotency-Key": requestKey },
    timeoutMs: WITHDRAW_TIMEOUT_MS,
  });
}

/** `PUT /api/billing/auto-top-up`. @throws ApiError */
export async function chooseAutoTopUp(body: AutoTopUpRequest): Promise<void> {
  await showAnswer(autoTopUpQuery.queryKey, await request("PUT /api/billing/auto-top-up", { body }));
}

/** `POST /api/billing/cards`. Returns the address of the provider's page that saves a card. @throws ApiError */
export async function orderCardPage(): Promise<string> {
  return (await request("POST /api/billing/cards", { timeoutMs: PROVIDER_TIMEOUT_MS })).checkout_url;
}

/** `DELETE /api/billing/cards/{id}`. @throws ApiError */
export async function removeCard(cardId: string): Promise<void> {
  const asked = request("DELETE /api/billing/cards/:id", { params: { id: cardId }, timeoutMs: PROVIDER_TIMEOUT_MS });
  await showAnswer(autoTopUpQuery.queryKey, await asked);
}

/** The selected top-up, for which a code is checked. */
export type PromoOrder = { readonly package_id: string } | { readonly amount: string };

/** Minimum length of a code. */
const MIN_CODE_CHARS = 3;

/** `POST /api/billing/promo/check`: the bonus of a code for a top-up. No request without a selected top-up or a complete code. */
export function promoQuery(code: string, order: PromoOrder | null) {
  return queryOptions({
    queryKey: ["promo", code, order],
    queryFn: ({ signal }): Promise<PromoCheckResponse> =>
      request("POST /api/billing/promo/check", { body: { code, ...order }, signal }),
    enabled: code.length >= MIN_CODE_CHARS && order !== null,
    retry: false,
    staleTime: 30_000,
    gcTime: 60_000,
  });
}
