import { type GIFT_MARKS_KEPT, NUMBERS_KEPT_MONTHS, type KeptGroup } from "@farline/contract/constants.ts";
import { useTranslation } from "react-i18next";
import { Card } from "../../../ui/card.tsx";
import * as styles from "../account.module.css";

/** The type keeps them equal, and an import would cost the first page its bytes. */
const MARKS_KEPT: typeof GIFT_MARKS_KEPT = { networkDays: 60, personYears: 3 };
const GOES = ["identity", "signIn", "contacts", "cards", "numbers", "activity"] as const;

/** What an erasure deletes, and what stays and why. */
export function ErasureList({ kept }: { readonly kept: readonly KeptGroup[] }) {
  const { t } = useTranslation(["account", "company"]);
  return (
    <>
      <Card title={t("erase.goesTitle")}>
        <ul className={styles.erasure}>
          {GOES.map((what) => (
            <li key={what}>{t(`erase.goes.${what}`)}</li>
          ))}
        </ul>
      </Card>
      <Card title={t("erase.keptTitle")}>
        <p>{t("erase.keptText")}</p>
        <ul className={styles.erasure}>
          {kept.map((group) => (
            <li key={group}>{t(`company:privacy.keptList.${group}`, MARKS_KEPT)}</li>
          ))}
          <li>{t("company:privacy.keptBlocked")}</li>
        </ul>
        <p className="muted">{t("erase.keptHowLong", { months: NUMBERS_KEPT_MONTHS })}</p>
      </Card>
    </>
  );
}
