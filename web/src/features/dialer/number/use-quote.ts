import type { Quote } from "@farline/contract/rates.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { type QueryObserverResult, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { countryName } from "../../../text/country-name.ts";
import { mobileRate, quoteQuery, ratesQuery } from "../dialer-queries.ts";
import { significantPart } from "./edit-number.ts";
import { useDebounced } from "../../../browser/use-debounced.ts";
import type { NumberEntry } from "./use-number-entry.ts";

/** How long typing must rest before the price of the number is asked for. */
const LOOKUP_AFTER_MS = 250;

/** The price beside the number. */
export interface ShownRate {
  ratePerMinute: string;
  /** What is called at this price: "Ghana mobile". */
  description: string;
  firstIntervalSeconds: number;
  nextIntervalSeconds: number;
  /** The longest call we allow, in seconds; null when the number cannot be called. Not known for a country's usual price. */
  longestCallSeconds?: number | null;
  /** False when we connect no calls to this kind of number. Not known for a country's usual price. */
  connected?: boolean;
  /** True when it is the price of this very number, not the usual one of its country or that of a number typed before. */
  exact: boolean;
}

type LookUp = Pick<QueryObserverResult<Quote | null>, "data" | "isPlaceholderData" | "isError">;

/**
 * What the look-up of `settled` says about the number `wanted`; null without a word on it. While the next price is on its way
 * the last one stays, so that figures do not flicker, but a longer number may be dearer: it is not exact then.
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

/** The exact price of the number as soon as it is known, before that its country's mobile rate; null without any. */
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
      // Only whole minutes are shown of it, which are the same in the increments of every carrier.
      firstIntervalSeconds: 1,
      nextIntervalSeconds: 1,
      exact: false,
    },
  };
}
