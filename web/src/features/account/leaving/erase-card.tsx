import { ERASURE_GRACE_DAYS } from "@farline/contract/constants.ts";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "../account.module.css";

/** Links to the page that deletes the account. */
export function EraseCard() {
  const { t } = useTranslation("account");
  return (
    <Card title={t("erase.cardTitle")}>
      <p className={classNames(styles.lead, "muted")}>{t("erase.cardText", { days: ERASURE_GRACE_DAYS })}</p>
      <ButtonLink to="/account/erase">{t("erase.cardLink")}</ButtonLink>
    </Card>
  );
}
