import "./billing.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import cord from "../../assets/cord-card.svg";
import { formatCount, formatMoney } from "../../lib/format.ts";
import { balanceQuery, configQuery } from "../../lib/queries.ts";
import { useTitle } from "../../lib/use-title.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { BillingTopUp } from "./billing-top-up.tsx";
import { transactionsQuery } from "./billing-queries.ts";
import { TestCredit } from "./test-credit.tsx";
import { TransactionList } from "./transaction-list.tsx";

export function BillingPage() {
  const { t } = useTranslation("billing");
  useTitle(t("billing.tab"));
  const config = useQuery(configQuery);
  return (
    <>
      <h1 className="t-page head">{t("billing.title")}</h1>
      <div className="bill-g">
        <div className="stack">
          <BalanceCard />
          <BillingTopUp />
          {config.data?.mode === "sandbox" && <TestCredit />}
        </div>
        <TransactionList />
      </div>
    </>
  );
}

/** The balance as the yellow phonecard, with the number of entries on the statement. */
function BalanceCard() {
  const { t } = useTranslation("billing");
  const balance = useQuery(balanceQuery);
  const transactions = useInfiniteQuery(transactionsQuery);
  const count = transactions.data?.pages[0]?.total;
  return (
    <section className="phonecard on-credit" aria-labelledby="current-balance">
      <img className="phonecard__cord" src={cord} alt="" width="330" height="220" />
      <h2 className="phonecard__label" id="current-balance">
        {t("currentBalance")}
      </h2>
      <p className="phonecard__amount">
        <bdi dir="ltr">
          <small>{balance.data?.currency ?? "USD"}</small>
          {balance.data ? formatMoney(balance.data.balance) : "–"}
        </bdi>
      </p>
      <div className="phonecard__foot">
        <p className="fig">
          {count === undefined ? <Skeleton width="8rem" /> : t("billing.count", { count, formatted: formatCount(count) })}
        </p>
      </div>
    </section>
  );
}
