import { drawnNumber } from "../../browser/drawn-page.ts";
import type { CallQuoteResponse } from "@farline/contract/calls.ts";
import type { CallPrice, Rate } from "@farline/contract/rates.ts";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { request } from "../../service/http.ts";
import { i18n } from "../../text/i18n.ts";
import { prefetch } from "../../service/prefetch.ts";
import { callerIdQuery, configQuery, favoritesQuery, queryKeys, userQuery } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { showChangeIn } from "../../service/show-answer.ts";
import { significantPart } from "./number/edit-number.ts";

const LATEST_CALLS = 5;
const RATES_STALE_MS = 10 * 60_000;
const QUOTE_STALE_MS = 60_000;
const SUGGESTIONS_STALE_MS = 60_000;
/** After this time-out the next press requests the price again. */
const QUOTE_TIMEOUT_MS = 10_000;
const CALL_QUOTES = [...queryKeys.calls, "quote"] as const;

/** `GET /api/rates` */
export const ratesQuery = queryOptions({
  queryKey: ["rates"],
  queryFn: async ({ signal }) => (await request("GET /api/rates", { signal })).rates,
  staleTime: RATES_STALE_MS,
  meta: { failure: () => i18n.t("dialer:rate.failure"), failureAlways: true },
});

/** The mobile rate of a country. */
export function mobileRate(rates: readonly Rate[] | undefined, countryCode: string): Rate | null {
  return rates?.find((rate) => rate.country_code === countryCode && rate.number_type === "mobile") ?? null;
}

/** A number to price: E.164, or as typed with the chosen country. */
export interface AskedNumber {
  readonly number: string;
  readonly country: string | null;
}

/** Fewer digits identify no number. */
const MIN_NUMBER_DIGITS = 3;

/** Typed text as the service prices it, which parses it by its own country code, else by `country`; null if it is too short. */
export function typedNumber(text: string, country: string): AskedNumber | null {
  const number = significantPart(text);
  if (number.length < MIN_NUMBER_DIGITS) return null;
  return { number, country: number.startsWith("+") ? null : country };
}

/** `POST /api/calls/quote`: what Call Now would do with this number, at which price, within all limits of this customer. */
export function callQuoteQuery({ number, country }: AskedNumber) {
  return queryOptions({
    queryKey: [...CALL_QUOTES, country, number],
    queryFn: ({ signal }) => {
      const body = { destination_number: number, ...(country === null ? {} : { destination_country: country }) };
      return request("POST /api/calls/quote", { body, signal, timeoutMs: QUOTE_TIMEOUT_MS });
    },
    retry: false,
    staleTime: QUOTE_STALE_MS,
    gcTime: QUOTE_STALE_MS,
  });
}

/** Replaces the shown price of a number by the one that the service returned. */
export async function showPrice(price: CallPrice): Promise<void> {
  const readAgain = await showChangeIn<CallQuoteResponse>(queryClient, CALL_QUOTES, (quote) =>
    quote.price.number === price.number ? { ...quote, price } : quote,
  );
  await readAgain();
}

/** `GET /api/calls/suggestions`: numbers that match the field. Failures are silent, because suggestions are optional. */
export function suggestionsQuery(search: string) {
  return queryOptions({
    queryKey: [...queryKeys.calls, "suggestions", search],
    queryFn: async ({ signal }) => (await request("GET /api/calls/suggestions", { query: { search }, signal })).suggestions,
    retry: false,
    staleTime: SUGGESTIONS_STALE_MS,
    gcTime: SUGGESTIONS_STALE_MS,
    placeholderData: keepPreviousData,
  });
}

/** `GET /api/calls/history`: the 5 latest calls. */
export const latestCallsQuery = queryOptions({
  queryKey: [...queryKeys.calls, "latest"],
  queryFn: async ({ signal }) => (await request("GET /api/calls/history", { query: { limit: LATEST_CALLS }, signal })).calls.data,
  meta: { failure: () => i18n.t("dialer:latest.failure") },
});

/** The credit for a first call that confirming the address earns, in dollars; null if none is offered, or to a confirmed address. */
export function useCreditToConfirm(): string | null {
  const { data: config } = useQuery(configQuery);
  const { data: user } = useQuery(userQuery);
  return user?.email_verified === false && !user.disposable_email ? (config?.first_call ?? null) : null;
}

/** Requests the data of the first render; first the price of an international number that was entered before the app had loaded. */
export function prefetchDialer(): Promise<void> {
  return prefetch(() => {
    const typed = typedNumber(drawnNumber(), "");
    return [
      ...(typed?.country === null ? [queryClient.prefetchQuery(callQuoteQuery(typed))] : []),
      queryClient.prefetchQuery(ratesQuery),
      queryClient.prefetchQuery(latestCallsQuery),
      queryClient.prefetchQuery(callerIdQuery),
      queryClient.prefetchQuery(favoritesQuery),
    ];
  });
}
