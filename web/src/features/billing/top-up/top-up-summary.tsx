import { type Micros, toDecimalString } from "@farline/domain/money.ts";
import { useTranslation } from "react-i18next";
import { formatCount, formatMoney } from "../../../text/format.ts";
import { estimatedMinutes } from "./choice/amount.ts";
import * as styles from "./top-up.module.css";

interface SummaryProps {
  readonly pays: Micros | null;
  /** Including all bonuses. */
  readonly gets: Micros | null;
  /** The part of it that comes from the promo code. */
  readonly promo: Micros;
}

/** The price, the credit, and the estimate in minutes. */
export function TopUpSummary({ pays, gets, promo }: SummaryProps) {
  const { t } = useTranslation("billing");
  const money = (micros: Micros | null) => (micros === null ? "–" : formatMoney(toDecimalString(micros)));
  const bonus = pays === null || gets === null ? 0n : gets - pays;
  return (
    <dl className={styles.sum} aria-live="polite">
      <div>
        <dt>{t("topUp.youPay")}</dt>
        <dd>{money(pays)}</dd>
      </div>
      <div>
        <dt>{t("topUp.youGet")}</dt>
        <dd>{money(gets)}</dd>
      </div>
      {bonus > 0n && (
        <div className={styles.part}>
          <dt>{promo > 0n ? t("topUp.bonusWithCode") : t("topUp.bonus")}</dt>
          <dd>{money(bonus)}</dd>
        </div>
      )}
      {gets !== null && (
        <div className={styles.est}>
          <dt className="sr-only">{t("topUp.estimateLabel")}</dt>
          <dd>{t("topUp.estimate", { minutes: formatCount(estimatedMinutes(gets)) })}</dd>
        </div>
      )}
    </dl>
  );
}
