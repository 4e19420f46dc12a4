import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useTitle } from "../../browser/page-hooks.ts";
import { configQuery } from "../../service/queries.ts";
import { AutoTopUp } from "./auto-top-up/auto-top-up-card.tsx";
import { BalanceCard, DebtNotice } from "./balance-card.tsx";
import { ReceiptsCard, StatementCard } from "./documents/documents-cards.tsx";
import { GiftsCard } from "./gifts/gifts-card.tsx";
import { BillingTopUp, TestCredit } from "./top-up/billing-top-up.tsx";
import { TransactionList } from "./transaction-list.tsx";
import { WithdrawCredit } from "./withdraw-credit.tsx";
import * as styles from "./billing.module.css";

export function BillingPage() {
  const { t } = useTranslation("billing");
  useTitle(t("billing.tab"));
  const config = useQuery(configQuery);
  return (
    <>
      <h1 className="t-page head">{t("billing.title")}</h1>
      <div className={styles.columns}>
        <div className="stack">
          <DebtNotice />
          <BalanceCard />
          <BillingTopUp />
          <AutoTopUp />
          <WithdrawCredit />
          <GiftsCard />
          {config.data?.mode === "sandbox" && <TestCredit />}
        </div>
        <div className="stack">
          <TransactionList />
          <ReceiptsCard />
          <StatementCard />
        </div>
      </div>
    </>
  );
}
