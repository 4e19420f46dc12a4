import type { SellerNotice } from "@farline/contract/public-pages.ts";
import { useTranslation } from "react-i18next";
import { supportHoursText } from "./support-hours-text.ts";
import * as fieldStyles from "../forms/field.module.css";

interface SellerFactsProps {
  readonly seller: SellerNotice;
  /** Beside a button that pays; links then open in another tab. */
  readonly paying?: boolean;
}

/** Who sells the credit, how to reach them, what happens to unused credit, and accepted cards. Needs the texts `billing`. */
export function SellerFacts({ seller, paying = false }: SellerFactsProps) {
  const { t, i18n } = useTranslation("billing");
  const named = { seller: [seller.name, ...seller.address].join(", ") };
  const target = paying ? "_blank" : undefined;
  const who = paying
    ? t(seller.sample ? "seller.paidSample" : "seller.paid", named)
    : t(seller.sample ? "seller.sample" : "seller.soldBy", named);
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
