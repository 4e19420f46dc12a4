import type { Quote } from "@farline/contract/rates.ts";
import { countryByCode } from "@farline/domain/countries.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { countryName } from "../../lib/country-name.ts";
import { mobileRate, quoteQuery, ratesQuery } from "./dialer-queries.ts";
import { significantPart } from "./edit-number.ts";
import { useDebounced } from "./use-debounced.ts";
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
  /** True when it is the price of this very number, not the usual one of its country. */
  exact: boolean;
}

/** The exact price of the number as soon as it is known, before that its country's mobile rate; null without any. */
export function useQuote(entry: NumberEntry): { rate: ShownRate | null; loading: boolean } {
  const { t } = useTranslation("dialer");
  const rates = useQuery(ratesQuery);
  const wanted = entry.number?.ok === true ? entry.number.e164 : significantPart(entry.text);
  const settled = useDebounced(wanted, LOOKUP_AFTER_MS);
  const { data } = useQuery(quoteQuery(settled, entry.countryCode));
  const [quote, setQuote] = useState<Quote | null>(null);
  // While the next price is on its way the last one stays, so that figures do not flicker.
  if (data !== undefined && data !== quote) setQuote(data);
  if (quote !== null && wanted.startsWith(`+${quote.prefix}`)) {
    return {
      loading: false,
      rate: {
        ratePerMinute: quote.rate_per_minute,
        description: quote.description,
        firstIntervalSeconds: quote.first_interval_s,
        nextIntervalSeconds: quote.next_interval_s,
        longestCallSeconds: quote.longest_call_s,
        exact: true,
      },
    };
  }
  const usual = mobileRate(rates.data, entry.countryCode);
  if (usual === null) return { rate: null, loading: rates.isPending };
  const country = countryName(entry.countryCode, countryByCode(entry.countryCode)?.name ?? usual.country_name);
  return {
    loading: false,
    rate: {
      ratePerMinute: usual.our_rate_per_minute,
      description: t("rate.countryMobile", { country }),
      firstIntervalSeconds: 1,
      nextIntervalSeconds: 1,
      exact: false,
    },
  };
}
