import type { AutoTopUpRequest, AutoTopUpResponse } from "@farline/contract/auto-top-up.ts";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../../../service/http.ts";
import { i18n } from "../../../text/i18n.ts";
import { queryKeys } from "../../../service/queries.ts";
import { queryClient } from "../../../service/query-client.ts";

/** The service asks the card provider before it answers. */
const PROVIDER_TIMEOUT_MS = 30_000;

/** `GET /api/billing/auto-top-up`. Under the statement's key: they change together. */
export const autoTopUpQuery = queryOptions({
  queryKey: [...queryKeys.transactions, "auto-top-up"],
  queryFn: ({ signal }) => request("GET /api/billing/auto-top-up", { signal, timeoutMs: PROVIDER_TIMEOUT_MS }),
  meta: { failure: () => i18n.t("billing:autoTopUp.loadFailure") },
});

/** `PUT /api/billing/auto-top-up`. @throws ApiError */
export async function chooseAutoTopUp(body: AutoTopUpRequest): Promise<void> {
  show(await request("PUT /api/billing/auto-top-up", { body }));
}

/** `POST /api/billing/cards`. Returns the address of the provider's page that saves a card. @throws ApiError */
export async function orderCardPage(): Promise<string> {
  return (await request("POST /api/billing/cards", { timeoutMs: PROVIDER_TIMEOUT_MS })).checkout_url;
}

/** `DELETE /api/billing/cards/{id}`. @throws ApiError */
export async function removeCard(cardId: string): Promise<void> {
  show(await request("DELETE /api/billing/cards/:id", { params: { id: cardId }, timeoutMs: PROVIDER_TIMEOUT_MS }));
}

function show(answer: AutoTopUpResponse): void {
  queryClient.setQueryData(autoTopUpQuery.queryKey, answer);
}
