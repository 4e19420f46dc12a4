import { dialerPath } from "@farline/contract/constants.ts";
import { useTranslation } from "react-i18next";
import { NavLink } from "react-router";
import { Icon } from "../../ui/icon.tsx";
import { tabs } from "../navigation.ts";
import { useShell } from "../../browser/shell.ts";
import * as styles from "./tab-bar.module.css";

/** The most used pages within reach of the thumb, on phones. The bar's menu has all pages. */
export function TabBar() {
  const { t } = useTranslation();
  return (
    <nav className={styles.tabbar} aria-label={t("nav.quick")} inert={useShell()}>
      <ul>
        {tabs.map((item) => (
          <li key={item.to}>
            {item.to === dialerPath ? (
              <NavLink className={styles.dial} to={item.to}>
                <span className={styles.button}>
                  <Icon of={item.icon} />
                </span>
                <span>{t(item.label)}</span>
              </NavLink>
            ) : (
              <NavLink to={item.to}>
                <Icon of={item.icon} />
                <span>{t(item.label)}</span>
              </NavLink>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
