import type { SuggestionsResponse } from "@farline/contract/call-history.ts";
import type { CallQuoteResponse, HistoryResponse } from "@farline/contract/calls.ts";
import type { LookupNumberResponse, Quote, Rate, RatesResponse } from "@farline/contract/rates.ts";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { request } from "../../service/http.ts";
import { i18n } from "../../text/i18n.ts";
import { callerIdQuery, queryKeys, readFirst } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";

const LATEST_CALLS = 5;
const RATES_STALE_MS = 10 * 60_000;
const QUOTE_STALE_MS = 60_000;
const SUGGESTIONS_STALE_MS = 60_000;
/** Fewer characters identify no destination (specification §5). */
const SHORTEST_LOOKUP = 3;

/** `GET /api/rates` */
export const ratesQuery = queryOptions({
  queryKey: ["rates"],
  queryFn: async ({ signal }) => (await request<RatesResponse>("GET", "/rates", { signal })).rates,
  staleTime: RATES_STALE_MS,
  meta: { failure: () => i18n.t("dialer:rate.failure"), failureAlways: true },
});

/** The mobile rate of a country. */
export function mobileRate(rates: readonly Rate[] | undefined, countryCode: string): Rate | null {
  return rates?.find((rate) => rate.country_code === countryCode && rate.number_type === "mobile") ?? null;
}

/**
 * `POST /api/rates/lookup-number`: the exact price of the typed number; null while too few digits are typed.
 * A failure is silent: the country's rate stays on the screen (specification §5).
 */
export function quoteQuery(number: string, countryCode: string) {
  return queryOptions({
    queryKey: ["rates", "lookup", countryCode, number],
    queryFn: async ({ signal }): Promise<Quote | null> => {
      const body = { phone_number: number, country_code: countryCode };
      const { rate } = await request<LookupNumberResponse>("POST", "/rates/lookup-number", { body, signal });
      return rate.exact ? rate : null;
    },
    enabled: number.length >= SHORTEST_LOOKUP,
    retry: false,
    staleTime: QUOTE_STALE_MS,
    gcTime: QUOTE_STALE_MS,
    placeholderData: keepPreviousData,
  });
}

/**
 * `POST /api/calls/quote`: what Call Now would do with this number, under all limits of this customer. A failure is silent: the
 * press then shows the result.
 */
export function callQuoteQuery(e164: string) {
  return queryOptions({
    queryKey: [...queryKeys.calls, "quote", e164],
    queryFn: ({ signal }) => request<CallQuoteResponse>("POST", "/calls/quote", { body: { destination_number: e164 }, signal }),
    retry: false,
    staleTime: QUOTE_STALE_MS,
    gcTime: QUOTE_STALE_MS,
  });
}

/** `GET /api/calls/suggestions`: numbers meant by what stands in the field. A failure is silent: they are a help, no more. */
export function suggestionsQuery(search: string) {
  return queryOptions({
    queryKey: [...queryKeys.calls, "suggestions", search],
    queryFn: async ({ signal }) => {
      const path = `/calls/suggestions?${new URLSearchParams({ search })}`;
      return (await request<SuggestionsResponse>("GET", path, { signal })).suggestions;
    },
    retry: false,
    staleTime: SUGGESTIONS_STALE_MS,
    gcTime: SUGGESTIONS_STALE_MS,
    placeholderData: keepPreviousData,
  });
}

/** `GET /api/calls/history`: the 5 latest calls. */
export const latestCallsQuery = queryOptions({
  queryKey: [...queryKeys.calls, "latest"],
  queryFn: async ({ signal }) =>
    (await request<HistoryResponse>("GET", `/calls/history?limit=${LATEST_CALLS}`, { signal })).calls.data,
  meta: { failure: () => i18n.t("dialer:latest.failure") },
});

/** Reads what the page shows, before it is drawn for the first time. */
export function readDialer(): Promise<void> {
  return readFirst([
    queryClient.prefetchQuery(ratesQuery),
    queryClient.prefetchQuery(latestCallsQuery),
    queryClient.prefetchQuery(callerIdQuery),
  ]);
}
