import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { userQuery } from "../../service/queries.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import * as styles from "./locked-notice.module.css";

/** On every page of a locked account: why calls and payments are refused, and what to do. */
export function LockedNotice() {
  const { t } = useTranslation();
  const { data: user } = useQuery(userQuery);
  const because = user?.frozen_because ?? null;
  if (because === null) return null;
  return (
    <Banner kind="warn">
      <p>
        <b>{t("locked.title")}</b>
      </p>
      <p>
        <span>{t(`locked.because.${because}`)}</span> <span>{t("locked.text")}</span>{" "}
        <Link className={styles.link} to="/cases/new">
          {t("locked.contact")}
        </Link>
      </p>
    </Banner>
  );
}
