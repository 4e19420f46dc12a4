import type { User } from "@farline/contract/accounts.ts";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Banner } from "../../ui/messages/banner.tsx";
import * as styles from "./notices.module.css";

/** Why calls and payments are refused, and what to do. */
export function LockedBanner({ because }: { readonly because: NonNullable<User["frozen_because"]> }) {
  const { t } = useTranslation("account");
  return (
    <Banner kind="warn">
      <p>
        <b>{t("locked.title")}</b>
      </p>
      <p>
        <span>{t(`locked.because.${because}`)}</span> <span>{t("locked.text")}</span>{" "}
        <Link className={styles.lockedLink} to="/cases/new">
          {t("locked.contact")}
        </Link>
      </p>
    </Banner>
  );
}
