import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { formatMoney } from "../../text/format.ts";
import { balanceQuery, userQuery } from "../../service/queries.ts";
import { Banner } from "../../ui/banner.tsx";
import "./account-notices.css";

/** Notices that block payments and calls: a frozen account or debt. */
export function AccountNotices() {
  const { t } = useTranslation("billing");
  const user = useQuery(userQuery);
  const balance = useQuery(balanceQuery);
  const debt = balance.data?.debt ?? "0.00";
  return (
    <>
      {user.data?.status === "frozen" && (
        <Banner kind="warn">
          <p>
            <b>{t("notice.frozenTitle")}</b>
          </p>
          <p>
            <span>{t("notice.frozen")}</span>{" "}
            <Link className="notice-link" to="/cases/new">
              {t("notice.contact")}
            </Link>
          </p>
        </Banner>
      )}
      {fromDecimalString(debt) > 0n && <Banner kind="info">{t("notice.debt", { amount: formatMoney(debt) })}</Banner>}
    </>
  );
}
