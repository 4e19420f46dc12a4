import { IconMenu2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import markPetrol from "../../assets/mark-petrol.svg";
import markYellow from "../../assets/mark-yellow.svg";
import { Icon } from "../../ui/icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./top-bar.module.css";
import * as buttonStyles from "../../ui/button.module.css";

interface TopBarProps {
  /** Path of the current page. */
  readonly path: string;
}

/** The bar of the public site. Below 768 px its links fold into a menu that needs no script. */
export function TopBar({ path }: TopBarProps) {
  const { t } = useTranslation("public");
  const onCredit = path === "/";
  const links = [
    { href: "/#features", text: t("features") },
    { href: "/#how-it-works", text: t("howItWorks") },
    { href: "/rates", text: t("rates") },
  ];
  const items = links.map(({ href, text }) => (
    <a key={href} href={href} aria-current={href === path ? "page" : undefined}>
      {text}
    </a>
  ));
  return (
    <>
      <span className={styles.mark} data-top-mark="" aria-hidden="true" />
      <header className={onCredit ? classNames(styles.topbar, "on-credit") : styles.topbar} data-top-bar="">
        <div className={classNames(styles.inner, "page")}>
          <a className="brand" href="/" aria-label={t("home")}>
            <img src={onCredit ? markPetrol : markYellow} alt="" width="36" height="36" fetchPriority="low" />
            <span>{t("brand")}</span>
          </a>
          <nav className={styles.links} aria-label={t("main")}>
            {items}
          </nav>
          <div className={styles.end}>
            <a className={styles.sign} href="/login">
              {t("signIn")}
            </a>
            <a className={classNames(buttonStyles.btn, buttonStyles.sm, buttonStyles.action, styles.cta)} href="/register">
              {t("getStarted")}
            </a>
            <a className={classNames(buttonStyles.btn, buttonStyles.sm, buttonStyles.action, styles.app)} href="/dialer">
              {t("dialer")}
            </a>
            <details className={styles.menu} data-top-menu="">
              <summary className={classNames(buttonStyles.btn, buttonStyles.icon)} aria-label={t("menu")}>
                <Icon of={IconMenu2} />
              </summary>
              <nav className={styles.sheet} aria-label={t("menu")}>
                {items}
                <a href="/help" aria-current={path === "/help" ? "page" : undefined}>
                  {t("footer.help")}
                </a>
                <a className={styles.visitor} href="/register">
                  {t("getStarted")}
                </a>
              </nav>
            </details>
          </div>
        </div>
      </header>
    </>
  );
}
