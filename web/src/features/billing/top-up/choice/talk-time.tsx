import type { Rate } from "@farline/contract/rates.ts";
import { fromDecimalString, type Micros } from "@farline/domain/money.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatCount, formatRatePerMinute } from "../../../../text/format.ts";
import { request } from "../../../../service/http.ts";
import { localCountryName } from "../../../../text/local-country-name.ts";
import { queryKeys } from "../../../../service/queries.ts";
import { Flag } from "../../../../ui/flag.tsx";
import * as styles from "./talk-time.module.css";
import * as fieldStyles from "../../../../ui/forms/field.module.css";

const MONTHS = 12;
const MAX_DESTINATIONS = 3;
const RATES_STALE_MS = 10 * 60_000;

/** `GET /api/rates`. Without it the page shows no minutes. */
const ratesQuery = queryOptions({
  queryKey: ["rates"],
  queryFn: async ({ signal }) => (await request("GET /api/rates", { signal })).rates,
  staleTime: RATES_STALE_MS,
});

/** `GET /api/calls/summary`: the countries this person calls. */
const calledQuery = queryOptions({
  queryKey: [...queryKeys.calls, "summary"],
  queryFn: ({ signal }) => {
    const query = { months: MONTHS, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" };
    return request("GET /api/calls/summary", { query, signal });
  },
});

/** Talk time of this credit in the countries the customer calls, and in a chosen one. */
export function TalkTime({ creditMicros }: { readonly creditMicros: Micros | null }) {
  const { t, i18n } = useTranslation("billing");
  const rates = useQuery(ratesQuery).data ?? [];
  const called = useQuery(calledQuery).data?.countries ?? [];
  const id = useId();
  const [chosen, setChosen] = useState("");
  if (rates.length === 0) return null;
  const own = called.slice(0, MAX_DESTINATIONS).map((one) => one.country_code);
  const shown = [...new Set([...own, ...(chosen === "" ? [] : [chosen])])];
  const { compare } = new Intl.Collator(i18n.language);
  const countries = [...new Map(rates.map((rate) => [rate.country_code, rate.country_name]))]
    .map(([code, name]) => ({ code, name: localCountryName(i18n.language, code, name) }))
    .toSorted((a, b) => compare(a.name, b.name));
  return (
    <section className={styles.talk} aria-labelledby={`${id}-title`}>
      <h2 className={styles.title} id={`${id}-title`}>
        {own.length > 0 ? t("talk.own") : t("talk.title")}
      </h2>
      <ul className={styles.list} aria-live="polite">
        {shown.map((code) => (
          <TalkLine key={code} rate={cheapest(rates, code)} creditMicros={creditMicros} />
        ))}
      </ul>
      <div className={fieldStyles.field}>
        <label htmlFor={id}>{t("talk.country")}</label>
        <select id={id} className={fieldStyles.select} value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">{t("talk.choose")}</option>
          {countries.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </section>
  );
}

function TalkLine({ rate, creditMicros }: { readonly rate: Rate | undefined; readonly creditMicros: Micros | null }) {
  const { t, i18n } = useTranslation("billing");
  if (rate === undefined) return null;
  const price = fromDecimalString(rate.our_rate_per_minute);
  const minutes = creditMicros === null || price === 0n ? null : Number(creditMicros / price);
  const type = rate.number_type === "mobile" ? t("talk.mobile") : t("talk.landline");
  return (
    <li>
      <Flag code={rate.country_code} />
      <span className={styles.name}>
        <span>{localCountryName(i18n.language, rate.country_code, rate.country_name)}</span>{" "}
        <small className="muted">
          <span>{`${type} · `}</span>
          <span className="whole">{formatRatePerMinute(rate.our_rate_per_minute)}</span>
        </small>
      </span>
      <strong className="fig">{minutes === null ? "–" : t("talk.minutes", { minutes: formatCount(minutes) })}</strong>
    </li>
  );
}

/** The mobile rate, because most calls are to mobiles; the landline rate if there is none. */
function cheapest(rates: readonly Rate[], code: string): Rate | undefined {
  const ofCountry = rates.filter((rate) => rate.country_code === code);
  return ofCountry.find((rate) => rate.number_type === "mobile") ?? ofCountry[0];
}
