import { fromDecimalString } from "@farline/domain/money.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import * as phonecardStyles from "../../ui/money/phonecard.module.css";
import * as styles from "./billing.module.css";
import cord from "../../assets/cord-card.svg";
import { balanceQuery } from "../../service/queries.ts";
import { formatCount, formatMoney, formatSum } from "../../text/format.ts";
import { classNames } from "../../ui/class-names.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { PhonecardAmount } from "../../ui/money/phonecard.tsx";
import { Skeleton } from "../../ui/waiting/skeleton.tsx";
import { transactionsQuery } from "./billing-queries.ts";

/** The balance as a yellow phonecard: bonus, held credit and number of entries. */
export function BalanceCard() {
  const { t } = useTranslation("billing");
  const { data: balance } = useQuery(balanceQuery);
  const transactions = useInfiniteQuery(transactionsQuery("all"));
  const count = transactions.data?.pages[0]?.total;
  return (
    <section className={classNames(phonecardStyles.phonecard, styles.balanceCard, "on-credit")} aria-labelledby="current-balance">
      <img className={phonecardStyles.cord} src={cord} alt="" width="330" height="220" />
      <h2 className={phonecardStyles.label} id="current-balance">
        {t("currentBalance")}
      </h2>
      <PhonecardAmount balance={balance} />
      {balance !== undefined && (
        <ul className={styles.balanceParts}>
          {isSome(balance.bonus) && <li>{t("billing.bonus", { amount: formatSum(balance.bonus) })}</li>}
          {isSome(balance.held) && <li>{t("billing.held", { amount: formatSum(balance.held) })}</li>}
        </ul>
      )}
      <div className={phonecardStyles.foot}>
        <p className="fig">
          {count === undefined ? <Skeleton width="8rem" /> : t("billing.count", { count, formatted: formatCount(count) })}
        </p>
      </div>
    </section>
  );
}

function isSome(dollars: string): boolean {
  return fromDecimalString(dollars) > 0n;
}

/** The customer's debt, and how to pay it. */
export function DebtNotice() {
  const { t } = useTranslation("billing");
  const balance = useQuery(balanceQuery);
  const debt = balance.data?.debt ?? "0.00";
  if (fromDecimalString(debt) <= 0n) return null;
  return <Banner kind="info">{t("notice.debt", { amount: formatMoney(debt) })}</Banner>;
}
