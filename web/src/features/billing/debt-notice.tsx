import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatMoney } from "../../text/format.ts";
import { balanceQuery } from "../../service/queries.ts";
import { Banner } from "../../ui/messages/banner.tsx";

/** The customer's debt, and how to pay it. */
export function DebtNotice() {
  const { t } = useTranslation("billing");
  const balance = useQuery(balanceQuery);
  const debt = balance.data?.debt ?? "0.00";
  if (fromDecimalString(debt) <= 0n) return null;
  return <Banner kind="info">{t("notice.debt", { amount: formatMoney(debt) })}</Banner>;
}
