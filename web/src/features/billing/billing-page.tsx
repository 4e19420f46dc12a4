import "./billing.css";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../lib/queries.ts";
import { useTitle } from "../../lib/use-title.ts";
import { AccountNotices } from "./account-notices.tsx";
import { AutoTopUp } from "./auto-top-up-card.tsx";
import { BalanceCard } from "./balance-card.tsx";
import { BillingTopUp } from "./billing-top-up.tsx";
import { ReceiptsCard } from "./receipts-card.tsx";
import { StatementCard } from "./statement-card.tsx";
import { TestCredit } from "./test-credit.tsx";
import { TransactionList } from "./transaction-list.tsx";
import { WithdrawCredit } from "./withdraw-credit.tsx";

export function BillingPage() {
  const { t } = useTranslation("billing");
  useTitle(t("billing.tab"));
  const config = useQuery(configQuery);
  return (
    <>
      <h1 className="t-page head">{t("billing.title")}</h1>
      <div className="bill-g">
        <div className="stack">
          <AccountNotices />
          <BalanceCard />
          <BillingTopUp />
          <AutoTopUp />
          <WithdrawCredit />
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
