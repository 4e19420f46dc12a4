import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../service/queries.ts";
import { useTitle } from "../../browser/use-title.ts";
import { DebtNotice } from "./debt-notice.tsx";
import { AutoTopUp } from "./auto-top-up/auto-top-up-card.tsx";
import { BalanceCard } from "./balance-card.tsx";
import { GiftsCard } from "./gifts/gifts-card.tsx";
import { BillingTopUp } from "./top-up/billing-top-up.tsx";
import { ReceiptsCard } from "./documents/receipts-card.tsx";
import { StatementCard } from "./documents/statement-card.tsx";
import { TestCredit } from "./top-up/test-credit.tsx";
import { TransactionList } from "./transaction-list.tsx";
import { WithdrawCredit } from "./withdraw/withdraw-credit.tsx";
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
