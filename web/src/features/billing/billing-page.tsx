import { fromDecimalString } from "@farline/domain/money.ts";
import { IconArrowUpRight, IconChevronRight, IconMessage, IconRefresh, IconUserPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { useTitle } from "../../browser/page-hooks.ts";
import { configQuery } from "../../service/queries.ts";
import { formatMoney } from "../../text/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { autoTopUpQuery } from "../../ui/money/checkout.ts";
import { AutoTopUp, switchOf } from "./auto-top-up/auto-top-up-card.tsx";
import { BalanceCard, DebtNotice, TestCredit } from "./balance-card.tsx";
import { withdrawalsQuery } from "./billing-queries.ts";
import { ReceiptsCard, StatementCard } from "./documents/documents-cards.tsx";
import { GiftsCard } from "./gifts/gifts-card.tsx";
import { TransactionList } from "./transaction-list.tsx";
import { isOffered, WithdrawCredit } from "./withdraw-credit.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as iconStyles from "../../ui/icon.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./billing.module.css";

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
          <Places />
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

/** What else can be done with the credit, each with its present state. */
function Places() {
  const { t } = useTranslation("billing");
  const auto = useQuery(autoTopUpQuery).data;
  const withdrawals = useInfiniteQuery(withdrawalsQuery).data?.pages[0];
  const withdrawHint = (most: string) =>
    fromDecimalString(most) === 0n ? t("withdraw.nothing") : t("billing.withdrawHint", { amount: formatMoney(most) });
  return (
    <nav className={classNames(cardStyles.card, styles.places)} aria-label={t("billing.more")}>
      <ul className={rowsStyles.rows}>
        <PlaceRow
          to="#auto-top-up"
          icon={IconRefresh}
          name={t("autoTopUp.title")}
          hint={auto && t(`autoTopUp.${switchOf(auto)}`)}
        />
        <PlaceRow to="/family" icon={IconUserPlus} name={t("billing.family")} hint={t("billing.familyHint")} />
        <PlaceRow to="#gifts" icon={IconMessage} name={t("gifts.askTitle")} hint={t("billing.askHint")} />
        {(withdrawals === undefined || isOffered(withdrawals)) && (
          <PlaceRow
            to="#withdraw"
            icon={IconArrowUpRight}
            name={t("withdraw.submit")}
            hint={withdrawals && withdrawHint(withdrawals.withdrawable)}
          />
        )}
      </ul>
    </nav>
  );
}

interface PlaceRowProps {
  readonly to: string;
  readonly icon: typeof IconRefresh;
  readonly name: string;
  /** Undefined until it is known; its line is there. */
  readonly hint: string | undefined;
}

function PlaceRow({ to, icon, name, hint }: PlaceRowProps) {
  return (
    <li>
      <Link className={rowsStyles.crow} to={to}>
        <Icon of={icon} />
        <span>
          <span className={rowsStyles.name}>{name}</span>{" "}
          <span className={classNames(rowsStyles.meta, styles.why)}>{hint ?? "\u00a0"}</span>
        </span>
        <Icon of={IconChevronRight} className={iconStyles.ahead} />
      </Link>
    </li>
  );
}
