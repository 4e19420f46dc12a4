import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { packagesQuery } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "../../../browser/page-hooks.ts";
import { balanceQuery, configQuery } from "../../../service/queries.ts";
import { formatBalance, formatMoney } from "../../../text/format.ts";
import { classNames } from "../../../ui/class-names.ts";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Skeleton } from "../../../ui/waiting/skeleton.tsx";
import { DebtNotice, partsOf } from "../balance-card.tsx";
import { TopUpForm } from "./top-up-form.tsx";
import * as cardStyles from "../../../ui/card.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as skeletonStyles from "../../../ui/waiting/skeleton.module.css";
import * as styles from "./top-up.module.css";

/** As wide as most balances, whose place it keeps: a wider one would wrap and push the page down. */
const ROOM = "10.00";

export function TopUpPage() {
  const { t } = useTranslation("billing");
  useTitle(t("topUp.title"));
  const { data: balance } = useQuery(balanceQuery);
  const free = partsOf(balance)?.free;
  return (
    <>
      <div className={classNames("spread head", styles.top)}>
        <h1 className="t-page">{t("topUp.title")}</h1>
        <p className={styles.balance}>
          <span>{t("currentBalance")}</span>{" "}
          <strong className={classNames("fig", balance === undefined && styles.unknown)}>
            {formatBalance(balance?.balance ?? ROOM, balance?.currency ?? "USD")}
          </strong>
          {free !== undefined && (
            <small className={classNames(styles.bonus, "muted")}>{t("billing.bonus", { amount: formatMoney(free) })}</small>
          )}
        </p>
      </div>
      <DebtNotice />
      <div className={styles.columns}>
        <Packages />
      </div>
    </>
  );
}

/** The form, and what credit is: on a phone the form would push it down. */
function Packages() {
  const { t } = useTranslation(["billing", "common"]);
  const packages = useQuery(packagesQuery);
  if (packages.data !== undefined)
    return (
      <>
        <TopUpForm packages={packages.data} />
        <TopUpSidebar />
      </>
    );
  return (
    <div className={cardStyles.card}>
      {packages.isError ? (
        <LoadFailure text={t("packagesFailure")} of={packages} />
      ) : (
        <div className={classNames(skeletonStyles.late, styles.packs)} role="status" data-placeholder="">
          <span className="sr-only">{t("common:loading")}</span>
          {[1, 2, 3, 4].map((place) => (
            <Skeleton key={place} height="9.25rem" />
          ))}
        </div>
      )}
    </div>
  );
}

const benefits = [
  "topUp.benefit.anyPhone",
  "topUp.benefit.noConnectionFee",
  "topUp.benefit.noSubscription",
  "topUp.benefit.unanswered",
] as const;

/** Benefits of credit, plus a labelled sample testimonial in the sandbox or else the rate promise. */
function TopUpSidebar() {
  const { t } = useTranslation("billing");
  const config = useQuery(configQuery);
  return (
    <aside className={classNames(styles.side, "stack")} aria-label={t("topUp.about")}>
      <section>
        <h2 className="t-sub">{t("topUp.benefitsTitle")}</h2>
        <ul className={rowsStyles.ticks}>
          {benefits.map((benefit) => (
            <li key={benefit}>
              <Icon of={IconCheck} />
              <span>{t(benefit)}</span>
            </li>
          ))}
        </ul>
      </section>
      {config.data?.mode === "sandbox" ? (
        <figure className={styles.quote}>
          <blockquote className={styles.sideText}>{t("topUp.testimonial")}</blockquote>
          <figcaption className="muted">
            <span>{t("topUp.testimonialBy")}</span> <span className={styles.tag}>{t("topUp.testimonialSample")}</span>
          </figcaption>
        </figure>
      ) : (
        <section className={styles.quote}>
          <h2 className="t-sub">{t("topUp.promiseTitle")}</h2>
          <p>{t("topUp.promise")}</p>
        </section>
      )}
      <p>
        <Link className="link" to="/family">
          {t("topUp.family")}
        </Link>
      </p>
      <p>
        <Link className="link" to="/billing">
          {t("topUp.statement")}
        </Link>
      </p>
    </aside>
  );
}
