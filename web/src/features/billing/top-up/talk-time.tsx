import type { Rate } from "@farline/contract/rates.ts";
import { fromDecimalString, type Micros } from "@farline/domain/money.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { queryKeys, userQuery } from "../../../service/queries.ts";
import { formatMinutes, formatRatePerMinute } from "../../../text/format.ts";
import { localCountryName } from "../../../text/local-text.ts";
import { Flag } from "../../../ui/flag.tsx";
import { SelectField } from "../../../ui/forms/form-fields.tsx";
import * as styles from "./top-up.module.css";
import { browserCountry, readerTimeZone } from "../../../browser/reader-locale.ts";
import { readLastCountry } from "../../../browser/own-storage.ts";

interface TalkTimeProps {
  readonly talk: TalkRates;
  readonly creditMicros: Micros | null;
}

/** Talk time of this credit in the countries the customer calls, and in a chosen one. */
export function TalkTime({ talk: { rates, own, chosen, choose }, creditMicros }: TalkTimeProps) {
  const { t, i18n } = useTranslation("billing");
  const id = useId();
  if (rates.length === 0) return null;
  const shown = [...new Set(chosen === null ? own : [...own, chosen])];
  const { compare } = new Intl.Collator(i18n.language);
  const countries = [...new Map(rates.map((rate) => [rate.country_code, rate.country_name]))]
    .map(([code, name]) => ({ code, name: localCountryName(i18n.language, code, name) }))
    .toSorted((a, b) => compare(a.name, b.name));
  return (
    <section className={styles.talk} aria-labelledby={id}>
      <h2 className={styles.talkTitle} id={id}>
        {own.length > 0 ? t("talk.own") : t("talk.title")}
      </h2>
      <ul className={styles.talkList} aria-live="polite">
        {shown.map((rate) => (
          <TalkLine key={rate.country_code} rate={rate} creditMicros={creditMicros} />
        ))}
      </ul>
      <SelectField label={t("talk.country")} value={chosen?.country_code ?? ""} onChange={(event) => choose(event.target.value)}>
        <option value="">{t("talk.choose")}</option>
        {countries.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </SelectField>
    </section>
  );
}

function TalkLine({ rate, creditMicros }: { readonly rate: Rate; readonly creditMicros: Micros | null }) {
  const { t, i18n } = useTranslation("billing");
  const minutes = creditMicros === null ? null : talkMinutes(creditMicros, rate);
  const type = rate.number_type === "mobile" ? t("talk.mobile") : t("talk.landline");
  return (
    <li>
      <Flag code={rate.country_code} />
      <span className={styles.talkName}>
        <span>{localCountryName(i18n.language, rate.country_code, rate.country_name)}</span>{" "}
        <small className="muted">
          <span>{`${type} · `}</span>
          <span className="whole">{formatRatePerMinute(rate.our_rate_per_minute)}</span>
        </small>
      </span>
      <strong className="fig">{minutes === null ? "–" : t("talk.minutes", { minutes: formatMinutes(minutes) })}</strong>
    </li>
  );
}

const MONTHS = 12;
const MAX_DESTINATIONS = 3;
const RATES_STALE_MS = 10 * 60_000;

/** `GET /api/rates`. Without it the page shows no minutes. */
const ratesQuery = queryOptions({
  queryKey: ["rates"],
  queryFn: async ({ signal }) => (await request("GET /api/rates", { signal })).rates,
  staleTime: RATES_STALE_MS,
});

/** `GET /api/calls/summary`: the countries this person calls, most called first, whatever the calls cost. */
const calledQuery = queryOptions({
  queryKey: [...queryKeys.calls, "summary"],
  queryFn: ({ signal }) => {
    const query = { months: MONTHS, time_zone: readerTimeZone() };
    return request("GET /api/calls/summary", { query, signal });
  },
  select: ({ countries }) => countries.toSorted((a, b) => b.calls - a.calls),
});

/** The prices by which the page says an amount in minutes. */
interface TalkRates {
  readonly rates: readonly Rate[];
  /** Of the countries this person calls, most called first. */
  readonly own: readonly Rate[];
  /** Of the country chosen on the page; null if none. */
  readonly chosen: Rate | null;
  /** Of the one country that each choice is said for: chosen, else most called, else last dialled, else the browser's own. */
  readonly shown: Rate | null;
  choose(countryCode: string): void;
}

export function useTalkRates(): TalkRates {
  const rates = useQuery(ratesQuery).data ?? [];
  const called = useQuery(calledQuery);
  const { data: user } = useQuery(userQuery);
  const [chosenCode, choose] = useState("");
  const rateOf = (code: string | null | undefined): Rate | null => usualRate(rates, code ?? "") ?? null;
  const own = (called.data ?? []).slice(0, MAX_DESTINATIONS).flatMap((one) => rateOf(one.country_code) ?? []);
  const chosen = rateOf(chosenCode);
  // Not before the list of called countries, so that the choices' minutes do not change while they are read.
  const guess = called.isPending ? null : (rateOf(readLastCountry(user?.id ?? null)) ?? rateOf(browserCountry()));
  return { rates, own, chosen, shown: chosen ?? own[0] ?? guess, choose };
}

/** How long this credit lasts at what most calls cost, in whole minutes; null for a free destination. */
export function talkMinutes(creditMicros: Micros, rate: Rate): number | null {
  const price = fromDecimalString(rate.our_rate_per_minute);
  return price === 0n ? null : Number(creditMicros / price);
}

/** The mobile rate, because most calls are to mobiles; the landline rate if there is none. */
function usualRate(rates: readonly Rate[], code: string): Rate | undefined {
  const ofCountry = rates.filter((rate) => rate.country_code === code);
  return ofCountry.find((rate) => rate.number_type === "mobile") ?? ofCountry[0];
}
