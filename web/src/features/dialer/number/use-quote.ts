import type { Quote } from "@farline/contract/rates.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { type QueryObserverResult, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { countryName } from "../../../text/country-name.ts";
import { mobileRate, quoteQuery, ratesQuery } from "../dialer-queries.ts";
import { significantPart } from "./edit-number.ts";
import { useDebounced } from "../../../browser/use-debounced.ts";
import type { NumberEntry } from "./use-number-entry.ts";

/** Pause in typing after which the price is requested. */
const LOOKUP_AFTER_MS = 250;

/** The price beside the number. */
export interface ShownRate {
  ratePerMinute: string;
  /** The destination of this price: "Ghana mobile". */
  description: string;
  firstIntervalSeconds: number;
  nextIntervalSeconds: number;
  /** The longest allowed call, in seconds; null if the number cannot be called. Unknown for a country's usual price. */
  longestCallSeconds?: number | null;
  /** False if this kind of number is not connected. Unknown for a country's usual price. */
  connected?: boolean;
  /** True for the price of exactly this number; false for the usual price of its country or of an earlier number. */
  exact: boolean;
}

type LookUp = Pick<QueryObserverResult<Quote | null>, "data" | "isPlaceholderData" | "isError">;

/**
 * The price of `wanted` from the look-up of `settled`; null if it says nothing about it. While the next price loads, the last one
 * stays, so that figures do not flicker; it is not exact then, because a longer number may cost more.
 */
export function quotedRate({ data, isPlaceholderData, isError }: LookUp, wanted: string, settled: string): ShownRate | null {
  if (isError || !data || !wanted.startsWith(`+${data.prefix}`)) return null;
  return {
    ratePerMinute: data.rate_per_minute,
    description: data.description,
    firstIntervalSeconds: data.first_interval_s,
    nextIntervalSeconds: data.next_interval_s,
    connected: data.connected,
    longestCallSeconds: data.longest_call_s,
    exact: wanted === settled && !isPlaceholderData,
  };
}

/** The exact price of the number once known, until then its country's mobile rate; null without either. */
export function useQuote(entry: NumberEntry): { rate: ShownRate | null; loading: boolean } {
  const { t } = useTranslation("dialer");
  const rates = useQuery(ratesQuery);
  const wanted = entry.number?.ok === true ? entry.number.e164 : significantPart(entry.text);
  const settled = useDebounced(wanted, LOOKUP_AFTER_MS);
  const quoted = quotedRate(useQuery(quoteQuery(settled, entry.countryCode)), wanted, settled);
  if (quoted !== null) return { loading: false, rate: quoted };
  const usual = mobileRate(rates.data, entry.countryCode);
  if (usual === null) return { rate: null, loading: rates.isPending };
  const country = countryName(entry.countryCode, countryByCode(entry.countryCode)?.name ?? usual.country_name);
  return {
    loading: false,
    rate: {
      ratePerMinute: usual.our_rate_per_minute,
      description: t("rate.countryMobile", { country }),
      // Only whole minutes are shown, for which the increments make no difference.
      firstIntervalSeconds: 1,
      nextIntervalSeconds: 1,
      exact: false,
    },
  };
}
