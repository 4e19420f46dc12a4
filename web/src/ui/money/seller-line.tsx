import type { SellerNotice } from "@farline/contract/public-pages.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../service/queries.ts";
import { classNames } from "../class-names.ts";
import { LoadFailure } from "../empty-state.tsx";
import * as fieldStyles from "../forms/field.module.css";
import type { Language } from "@farline/contract/languages.ts";
import type { SupportHours } from "@farline/domain/business/support-hours.ts";
import { writing } from "@farline/domain/languages.ts";

/** Whom a customer pays. Undefined until it is known: nobody can pay before. */
export function useSeller(): SellerNotice | undefined {
  return useQuery(configQuery).data?.seller;
}

/** Shown beside a pay button: who sells, in one line that unfolds to all that a buyer must be able to read before paying. */
export function SellerLine() {
  const { t } = useTranslation("billing");
  const config = useQuery(configQuery);
  const seller = config.data?.seller;
  if (seller !== undefined)
    return (
      <details className={classNames(fieldStyles.hint, fieldStyles.fold)}>
        <summary>
          <span>{t(seller.sample ? "seller.paidSample" : "seller.paid", { seller: seller.name })}</span>{" "}
          <span>{t("seller.more")}</span>
        </summary>
        <SellerFacts seller={seller} paying />
      </details>
    );
  return config.isError ? <LoadFailure text={t("seller.failure")} of={config} /> : null;
}

interface SellerFactsProps {
  readonly seller: SellerNotice;
  /** Beside a button that pays; links then open in another tab. */
  readonly paying?: boolean;
}

/** Who sells the credit, how to reach them, what happens to unused credit, and accepted cards. Needs the texts `billing`. */
export function SellerFacts({ seller, paying = false }: SellerFactsProps) {
  const { t, i18n } = useTranslation("billing");
  const target = paying ? "_blank" : undefined;
  const who = t(seller.sample ? "seller.sample" : "seller.soldBy", { seller: [seller.name, ...seller.address].join(", ") });
  return (
    <div className={fieldStyles.hint}>
      <p>
        <span>{who}</span>
        {seller.registration !== null && <span>{` ${t("seller.registration", { registration: seller.registration })}`}</span>}
      </p>
      <p className="row">
        <span>{t("seller.support")}</span>
        <a className="link" href={`mailto:${seller.support_email}`}>
          <bdi>{seller.support_email}</bdi>
        </a>
        {seller.support_hours !== null && <span>{supportHoursText(seller.support_hours, i18n.language)}</span>}
      </p>
      <p>{`${t("seller.unused", { returnDays: seller.return_days })} ${t("seller.expiry")}`}</p>
      <p className="row">
        <a className="link" href="/terms#refunds" target={target}>
          {t("seller.refunds")}
        </a>
        <a className="link" href="/terms" target={target}>
          {t("seller.terms")}
        </a>
      </p>
      <ul className="row" aria-label={t("seller.cards")}>
        {seller.cards.map((card) => (
          <li key={card}>
            <bdi>{card}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A Monday. */
const MONDAY_MS = Date.UTC(2024, 0, 1);

/** When people answer, in a language: "Mon – Fri, 9:00 AM – 6:00 PM (United Kingdom Time)". */
export function supportHoursText({ spans, time_zone: timeZone }: SupportHours, tag: string): string {
  const language = writing[tag as Language].figures;
  const day = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
  const time = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
  const dayAt = (number: number) => new Date(MONDAY_MS + (number - 1) * DAY_MS);
  const timeAt = (minute: number) => new Date(MONDAY_MS + minute * MINUTE_MS);
  const texts = spans.map((span) =>
    [
      ...(span.first_day === span.last_day
        ? [day.format(dayAt(span.first_day))]
        : [`${day.format(dayAt(span.first_day))} – ${day.format(dayAt(span.last_day))}`]),
      `${time.format(timeAt(span.from_minute))} – ${time.format(timeAt(span.to_minute))}`,
    ].join(" "),
  );
  return `${new Intl.ListFormat(language, { type: "unit" }).format(texts)} (${zoneName(timeZone, language)})`;
}

function zoneName(timeZone: string, language: string): string {
  const parts = new Intl.DateTimeFormat(language, { timeZone, timeZoneName: "longGeneric" }).formatToParts(MONDAY_MS);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}
