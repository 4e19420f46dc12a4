import { giftLink } from "@farline/contract/constants.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { formatBalance, formatMoney } from "../../../text/format.ts";
import { balanceQuery } from "../../../service/queries.ts";
import { useTitle } from "../../../browser/use-title.ts";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Skeleton } from "../../../ui/waiting/skeleton.tsx";
import { DebtNotice } from "../debt-notice.tsx";
import { packagesQuery } from "../billing-queries.ts";
import { GivePage } from "../gifts/give-page.tsx";
import { TopUpForm } from "./top-up-form.tsx";
import { TopUpSidebar } from "./top-up-sidebar.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./top-up.module.css";
import * as cardStyles from "../../../ui/card.module.css";
import * as skeletonStyles from "../../../ui/waiting/skeleton.module.css";

/** Tops up the account, or that of the person whose link led here. */
export function TopUpPage() {
  const [search] = useSearchParams();
  const token = search.get(giftLink.token);
  return token === null ? <OwnTopUp /> : <GivePage token={token} />;
}

function OwnTopUp() {
  const { t } = useTranslation("billing");
  useTitle(t("topUp.title"));
  const { data: balance } = useQuery(balanceQuery);
  const bonus = balance !== undefined && fromDecimalString(balance.bonus) > 0n ? balance.bonus : null;
  return (
    <>
      <div className="spread head">
        <h1 className="t-page">{t("topUp.title")}</h1>
        <p className={styles.balance}>
          <span>{t("currentBalance")}</span>{" "}
          <strong className="fig">{balance ? formatBalance(balance.balance, balance.currency) : "–"}</strong>
          {bonus !== null && (
            <small className={classNames(styles.bonus, "muted")}>{t("billing.bonus", { amount: formatMoney(bonus) })}</small>
          )}
        </p>
      </div>
      <DebtNotice />
      <div className={styles.columns}>
        <Form />
        <TopUpSidebar />
      </div>
    </>
  );
}

function Form() {
  const { t } = useTranslation(["billing", "common"]);
  const packages = useQuery(packagesQuery);
  if (packages.data !== undefined) return <TopUpForm packages={packages.data} />;
  return (
    <div className={cardStyles.card}>
      {packages.isError ? (
        <LoadFailure text={t("packagesFailure")} of={packages} />
      ) : (
        <div className={classNames(skeletonStyles.late, styles.packs)} role="status">
          <span className="sr-only">{t("common:loading")}</span>
          {[1, 2, 3, 4].map((place) => (
            <Skeleton key={place} height="9.25rem" />
          ))}
        </div>
      )}
    </div>
  );
}
