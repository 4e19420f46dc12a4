import type { PromoCheckResponse } from "@farline/contract/promotions.ts";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../../../service/http.ts";

/** What a code is checked with: the top-up that is chosen. */
export type PromoOrder = { readonly package_id: string } | { readonly amount: string };

/** The shortest code there is. */
const SHORTEST_CODE = 3;

/** `POST /api/billing/promo/check`: what a code gives with a top-up. Without an order, or a whole code, nothing is asked. */
export function promoQuery(code: string, order: PromoOrder | null) {
  return queryOptions({
    queryKey: ["promo", code, order],
    queryFn: ({ signal }): Promise<PromoCheckResponse> =>
      request<PromoCheckResponse>("POST", "/billing/promo/check", { body: { code, ...order }, signal }),
    enabled: code.length >= SHORTEST_CODE && order !== null,
    retry: false,
    staleTime: 30_000,
    gcTime: 60_000,
  });
}
