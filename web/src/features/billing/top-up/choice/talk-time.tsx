import type { Rate } from "@farline/contract/rates.ts";
import type { Micros } from "@farline/domain/money.ts";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { formatMinutes, formatRatePerMinute } from "../../../../text/format.ts";
import { localCountryName } from "../../../../text/local-country-name.ts";
import { Flag } from "../../../../ui/flag.tsx";
import { talkMinutes, type TalkRates } from "./use-talk-rates.ts";
import * as styles from "../top-up.module.css";
import * as fieldStyles from "../../../../ui/forms/field.module.css";

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
    <section className={styles.talk} aria-labelledby={`${id}-title`}>
      <h2 className={styles.talkTitle} id={`${id}-title`}>
        {own.length > 0 ? t("talk.own") : t("talk.title")}
      </h2>
      <ul className={styles.talkList} aria-live="polite">
        {shown.map((rate) => (
          <TalkLine key={rate.country_code} rate={rate} creditMicros={creditMicros} />
        ))}
      </ul>
      <div className={fieldStyles.field}>
        <label htmlFor={id}>{t("talk.country")}</label>
        <select
          id={id}
          className={fieldStyles.select}
          value={chosen?.country_code ?? ""}
          onChange={(event) => choose(event.target.value)}
        >
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
