import { IconCoins, IconHelp, IconReceipt, IconUserCircle, IconUsers } from "@tabler/icons-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Link, NavLink } from "react-router";
import { logOut } from "../../session/log-out.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import { accountPath, navigation } from "../navigation.ts";
import { Preferences } from "./preferences.tsx";
import * as styles from "./frame.module.css";

/** A place on a page is not marked as the current page. */
const money = [
  { to: "/billing", label: "nav.balance", icon: IconCoins, Link: NavLink },
  { to: "/family", label: "nav.family", icon: IconUsers, Link: NavLink },
  { to: "/billing#receipts", label: "nav.receipts", icon: IconReceipt, Link },
] as const;

interface MenuProps {
  readonly name: string | undefined;
  readonly region: RefObject<HTMLDivElement | null>;
}

/** What the bar has no room for below 1024 px. */
export default function Menu({ name, region }: MenuProps) {
  const { t } = useTranslation();
  return (
    <div className={classNames(styles.menu, "page")} id="menu" ref={region}>
      <nav aria-label={t("nav.menu")}>
        <ul>
          {navigation.map((item) => (
            <li key={item.to}>
              <NavLink to={item.to}>
                <Icon of={item.icon} />
                <span>{t(item.label)}</span>
              </NavLink>
            </li>
          ))}
          {money.map(({ Link: To, ...item }) => (
            <li key={item.to}>
              <To to={item.to}>
                <Icon of={item.icon} />
                <span>{t(item.label)}</span>
              </To>
            </li>
          ))}
          <li>
            <NavLink to={accountPath}>
              <Icon of={IconUserCircle} />
              <span>{t("nav.account")}</span>
            </NavLink>
          </li>
          <li>
            {/* In a new tab, because leaving the app would end a call. */}
            <a href="/help" target="_blank" rel="noreferrer">
              <Icon of={IconHelp} />
              <span>{t("nav.help")}</span>
            </a>
          </li>
        </ul>
      </nav>
      <div className={styles.menuPreferences}>
        <Preferences />
      </div>
      <div className={styles.row}>
        <span>{name}</span>
        <Button size="sm" onClick={() => logOut("/")}>
          {t("nav.logout")}
        </Button>
      </div>
    </div>
  );
}
