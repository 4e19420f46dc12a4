import { dialerPath } from "@farline/contract/constants.ts";
import { IconMenu2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import markPetrol from "../../assets/mark-petrol.svg";
import markYellow from "../../assets/mark-yellow.svg";
import { accountPath, navigation } from "../../app/navigation.ts";
import { Icon } from "../../ui/icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./top-bar.module.css";
import * as buttonStyles from "../../ui/button.module.css";

interface TopBarProps {
  /** Path of the current page. */
  readonly path: string;
}

/**
 * The bar of the public site. It has the links of visitors and those of signed-in users, and the root element's `data-signed-in`
 * shows either. Below 768 px they fold into a menu that needs no script.
 */
export function TopBar({ path }: TopBarProps) {
  const { t } = useTranslation(["public", "common"]);
  const onCredit = path === "/";
  const visitorItems = [
    { href: "/#features", text: t("features") },
    { href: "/#how-it-works", text: t("howItWorks") },
    { href: "/rates", text: t("rates") },
  ].map((link) => <BarLink key={link.href} {...link} path={path} className={styles.visitor} />);
  // The dialer has a button of its own.
  const memberItems = navigation
    .filter(({ to }) => to !== dialerPath)
    .map(({ to, label }) => <BarLink key={to} href={to} text={t(`common:${label}`)} path={path} className={styles.member} />);
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
            {visitorItems}
            {memberItems}
          </nav>
          <div className={styles.end}>
            <a className={styles.sign} href="/login">
              {t("signIn")}
            </a>
            <a className={classNames(buttonStyles.btn, buttonStyles.sm, buttonStyles.action, styles.cta)} href="/register">
              {t("getStarted")}
            </a>
            <a className={classNames(buttonStyles.btn, buttonStyles.sm, buttonStyles.action, styles.app)} href={dialerPath}>
              {t("dialer")}
            </a>
            <details className={styles.menu} data-top-menu="">
              <summary className={classNames(buttonStyles.btn, buttonStyles.icon)} aria-label={t("menu")}>
                <Icon of={IconMenu2} />
              </summary>
              <nav className={styles.sheet} aria-label={t("menu")}>
                {visitorItems}
                {memberItems}
                <BarLink href={accountPath} text={t("common:nav.account")} path={path} className={styles.member} />
                <BarLink href="/help" text={t("footer.help")} path={path} />
                <BarLink href="/register" text={t("getStarted")} path={path} className={styles.visitor} />
              </nav>
            </details>
          </div>
        </div>
      </header>
    </>
  );
}

interface BarLinkProps extends TopBarProps {
  readonly href: string;
  readonly text: string;
  readonly className?: string;
}

function BarLink({ href, text, path, className }: BarLinkProps) {
  return (
    <a className={className} href={href} aria-current={href === path ? "page" : undefined}>
      {text}
    </a>
  );
}
