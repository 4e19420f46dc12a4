import type { PromoCheckResponse } from "@farline/contract/promotions.ts";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../../../service/http.ts";

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
