import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { formatMoney } from "../../text/format.ts";
import { keepInvitation } from "../../service/invitation.ts";
import { configQuery } from "../../service/queries.ts";
import { Banner } from "../../ui/messages/banner.tsx";

/** Shows the bonus of an invitation link, and stores the invitation until sign-up. */
export function InvitedNotice() {
  const { t } = useTranslation("auth");
  const [query] = useSearchParams();
  const code = query.get("ref") ?? "";
  const { data: config } = useQuery({ ...configQuery, enabled: code !== "" });
  useEffect(() => {
    if (code !== "") keepInvitation(code);
  }, [code]);
  if (code === "" || config === undefined || config.referral === null) return null;
  const { bonus, min_top_up: min } = config.referral;
  return <Banner kind="credit">{t("register.invited", { bonus: formatMoney(bonus), min: formatMoney(min) })}</Banner>;
}
