import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { useTitle } from "../../browser/page-hooks.ts";
import { configQuery } from "../../service/queries.ts";
import { AutoTopUp } from "./auto-top-up/auto-top-up-card.tsx";
import { BalanceCard, DebtNotice, TestCredit } from "./balance-card.tsx";
import { ReceiptsCard, StatementCard } from "./documents/documents-cards.tsx";
import { GiftsCard } from "./gifts/gifts-card.tsx";
import { TransactionList } from "./transaction-list.tsx";
import { WithdrawCredit } from "./withdraw-credit.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./billing.module.css";

const PLACES = [
  { to: "#auto-top-up", label: "autoTopUp.title" },
  { to: "/family", label: "billing.family" },
  { to: "#gifts", label: "gifts.askTitle" },
  { to: "#withdraw", label: "withdraw.submit" },
] as const;

/** A part of the page that an address leads to: `/billing#receipts`. */
function Place({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    if (hash === `#${name}`) place.current?.scrollIntoView();
  }, [hash, name]);
  return (
    <div className={styles.place} ref={place}>
      {children}
    </div>
  );
}

/** All about money: the balance, what changed it, and what can be done with it. */
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
          <nav aria-label={t("billing.more")}>
            <ul className={classNames(rowsStyles.chips, styles.places)}>
              {PLACES.map(({ to, label }) => (
                <li key={to}>
                  <Link className={rowsStyles.chip} to={to}>
                    {t(label)}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        </div>
        <div className={classNames("stack", styles.activity)}>
          <TransactionList />
          <Place name="receipts">
            <ReceiptsCard />
          </Place>
          <StatementCard />
          {config.data?.mode === "sandbox" && <TestCredit />}
        </div>
        <div className="stack">
          <Place name="auto-top-up">
            <AutoTopUp />
          </Place>
          <Place name="withdraw">
            <WithdrawCredit />
          </Place>
          <Place name="gifts">
            <GiftsCard />
          </Place>
        </div>
      </div>
    </>
  );
}
