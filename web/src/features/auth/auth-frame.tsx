import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import cord from "../../assets/cord-login.svg";
import mark from "../../assets/mark-petrol.svg";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./auth.module.css";

/** The yellow panel with the telephone cord, next to a form. */
export function AuthFrame({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation(["auth", "common"]);
  return (
    <div className={styles.auth}>
      <header className={classNames(styles.art, "on-credit")}>
        <Link className="brand" to="/" aria-label={t("home")}>
          <img src={mark} alt="" width="36" height="36" />
          <span>{t("common:brand")}</span>
        </Link>
        <p className={classNames(styles.claim, "display")}>
          <span>{t("claim.far")}</span>
          <br />
          <span>{t("claim.line")}</span>
        </p>
        <img className={styles.cord} src={cord} alt="" width="700" height="470" />
      </header>
      <main className={styles.main} id="main">
        {children}
      </main>
    </div>
  );
}
