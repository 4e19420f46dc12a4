import "./billing.css";
import "./top-up.css";
import { useQuery } from "@tanstack/react-query";
import { IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { formatBalance } from "../../lib/format.ts";
import { balanceQuery } from "../../lib/queries.ts";
import { useTitle } from "../../lib/use-title.ts";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { packagesQuery } from "./billing-queries.ts";
import { TopUpForm } from "./top-up-form.tsx";

const benefits = [
  "topUp.benefit.anyPhone",
  "topUp.benefit.noConnectionFee",
  "topUp.benefit.noSubscription",
  "topUp.benefit.unanswered",
] as const;

export function TopUpPage() {
  const { t } = useTranslation("billing");
  useTitle(t("topUp.title"));
  const balance = useQuery(balanceQuery);
  return (
    <>
      <div className="spread head">
        <h1 className="t-page">{t("topUp.title")}</h1>
        <p className="tu__bal">
          {t("currentBalance")}{" "}
          <strong className="fig">{balance.data ? formatBalance(balance.data.balance, balance.data.currency) : "–"}</strong>
        </p>
      </div>
      <div className="tu">
        <Form />
        <aside className="tu__side stack" aria-label={t("topUp.about")}>
          <section>
            <h2 className="t-sub">{t("topUp.benefitsTitle")}</h2>
            <ul className="ticks">
              {benefits.map((benefit) => (
                <li key={benefit}>
                  <Icon of={IconCheck} />
                  {t(benefit)}
                </li>
              ))}
            </ul>
          </section>
          <section className="quote">
            <h2 className="t-sub">{t("topUp.promiseTitle")}</h2>
            <p>{t("topUp.promise")}</p>
          </section>
          <p>
            <Link className="link" to="/billing">
              {t("topUp.statement")}
            </Link>
          </p>
        </aside>
      </div>
    </>
  );
}

function Form() {
  const { t } = useTranslation(["billing", "common"]);
  const packages = useQuery(packagesQuery);
  if (packages.data !== undefined) return <TopUpForm packages={packages.data} />;
  return (
    <div className="card">
      {packages.isError ? (
        <LoadFailure text={t("packagesFailure")} busy={packages.isFetching} onRetry={() => void packages.refetch()} />
      ) : (
        <div className="late packs" role="status">
          <span className="sr-only">{t("common:loading")}</span>
          {[1, 2, 3, 4].map((place) => (
            <Skeleton key={place} height="9.25rem" />
          ))}
        </div>
      )}
    </div>
  );
}
