import { IconMenu2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import markPetrol from "../assets/mark-petrol.svg";
import markYellow from "../assets/mark-yellow.svg";
import { Icon } from "../ui/icon.tsx";
import "../ui/button.css";
import "./top-bar.css";

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
      <span className="topbar__mark" aria-hidden="true" />
      <header className={onCredit ? "topbar on-credit" : "topbar"}>
        <div className="topbar__in page">
          <a className="brand" href="/" aria-label={t("home")}>
            <img src={onCredit ? markPetrol : markYellow} alt="" width="36" height="36" fetchPriority="low" />
            <span>{t("brand")}</span>
          </a>
          <nav className="topbar__links" aria-label={t("main")}>
            {items}
          </nav>
          <div className="topbar__end">
            <a className="topbar__sign" href="/login">
              {t("signIn")}
            </a>
            <a className="btn btn--sm btn--action topbar__cta" href="/register">
              {t("getStarted")}
            </a>
            <a className="btn btn--sm btn--action topbar__app" href="/dialer">
              {t("dialer")}
            </a>
            <details className="topbar__menu">
              <summary className="btn btn--icon" aria-label={t("menu")}>
                <Icon of={IconMenu2} />
              </summary>
              <nav className="topbar__sheet" aria-label={t("menu")}>
                {items}
                <a href="/help" aria-current={path === "/help" ? "page" : undefined}>
                  {t("footer.help")}
                </a>
                <a className="topbar__visitor" href="/register">
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
