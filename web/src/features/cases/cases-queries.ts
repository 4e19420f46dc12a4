import type { CaseRequest, SupportCase } from "@farline/contract/cases/cases.ts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { request } from "../../service/http.ts";
import { queryKeys } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { i18n } from "../../text/i18n.ts";

const CASES_AT_ONCE = 20;

/** `GET /api/cases`: the customer's questions, newest first. */
export const casesQuery = infiniteQueryOptions({
  queryKey: queryKeys.cases,
  queryFn: async ({ pageParam, signal }) => {
    const query = { limit: CASES_AT_ONCE, cursor: pageParam ?? undefined };
    return (await request("GET /api/cases", { query, signal })).cases;
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
  meta: { failure: () => i18n.t("cases:failure") },
});

/** `GET /api/calls/{id}`: the call that a question is about. */
export function attachedCallQuery(id: string) {
  return queryOptions({
    queryKey: [...queryKeys.calls, id, "attached"],
    queryFn: async ({ signal }) => (await request("GET /api/calls/:id", { params: { id }, signal })).call,
  });
}

/** `POST /api/billing/confirm`: the payment that a question is about. */
export function attachedPaymentQuery(id: string) {
  return queryOptions({
    queryKey: [...queryKeys.transactions, "payment", id],
    queryFn: ({ signal }) => request("POST /api/billing/confirm", { body: { payment_id: id }, signal }),
  });
}

/** `POST /api/cases`. @param requestKey the same for all attempts to send one question. @throws ApiError */
export async function sendQuestion(body: CaseRequest, requestKey: string): Promise<SupportCase> {
  const headers = { "Idempotency-Key": requestKey };
  const sent = (await request("POST /api/cases", { body, headers })).case;
  await queryClient.invalidateQueries({ queryKey: queryKeys.cases });
  return sent;
}
