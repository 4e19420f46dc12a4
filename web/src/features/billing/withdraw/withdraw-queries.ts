import type { WithdrawalResponse } from "@farline/contract/billing.ts";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { request } from "../../../service/http.ts";
import { queryKeys } from "../../../service/queries.ts";

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

/** `POST /api/billing/withdrawals`. @param requestKey the same for all attempts of one withdrawal. @throws ApiError */
export function withdraw(amount: string, requestKey: string): Promise<WithdrawalResponse> {
  return request("POST /api/billing/withdrawals", {
    body: { amount },
    headers: { "Idempotency-Key": requestKey },
    timeoutMs: WITHDRAW_TIMEOUT_MS,
  });
}
