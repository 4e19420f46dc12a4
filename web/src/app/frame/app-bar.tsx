import { useQuery } from "@tanstack/react-query";
import { IconLanguage, IconMenu2, IconPlus, IconUserCircle, IconX } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link, NavLink } from "react-router";
import mark from "../../assets/mark-yellow.svg";
import { formatBalance } from "../../text/format.ts";
import { optionalPart } from "../../session/load-part.ts";
import { logOut } from "../../session/log-out.ts";
import { balanceQuery, userQuery } from "../../service/queries.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/button.tsx";
import { accountPath, navigation } from "../navigation.ts";
import { useDisclosure } from "../../ui/use-disclosure.ts";
import { Preferences } from "./preferences.tsx";
import { useShell } from "../../browser/page-hooks.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./frame.module.css";

/** The petrol bar of a signed-in user. Below 1024 px its links fold into a menu. */
export function AppBar() {
  const { t } = useTranslation();
  const user = useQuery(userQuery);
  const { open, toggle, key, region } = useDisclosure();
  return (
    <header className={classNames(styles.appbar, "on-panel")} inert={useShell()}>
      <div className={classNames(styles.inner, "page")}>
        <Link className="brand" to="/dialer" aria-label={t("nav.home")}>
          <img src={mark} alt="" width="36" height="36" />
          <span className={styles.brand}>{t("brand")}</span>
        </Link>
        <nav aria-label={t("nav.main")}>
          <ul className={styles.links}>
            {navigation.map((item) => (
              <li key={item.to}>
                <NavLink className={styles.link} to={item.to}>
                  {t(item.label)}
                </NavLink>
              </li>
            ))}
          </ul>
        </nav>
        <div className={styles.end}>
          <BalancePill />
          <NavLink className={styles.user} to={accountPath}>
            <Icon of={IconUserCircle} />
            <span className="sr-only">{t("nav.account")}</span>
            <span className={styles.name} dir="auto">
              {user.data?.name}
            </span>
          </NavLink>
          <PreferencesButton />
          <Button size="sm" className={styles.logout} onClick={() => logOut("/")}>
            {t("nav.logout")}
          </Button>
          <Button
            ref={key}
            size="sm"
            iconOnly
            className={styles.appbarMenu}
            aria-expanded={open}
            aria-controls="menu"
            aria-label={t("nav.menu")}
            onClick={toggle}
          >
            <Icon of={open ? IconX : IconMenu2} />
          </Button>
        </div>
      </div>
      {open && (
        <Suspense fallback={null}>
          <Menu name={user.data?.name} region={region} />
        </Suspense>
      )}
    </header>
  );
}

/** Language and theme behind one button, where the bar shows its links and has no menu. */
function PreferencesButton() {
  const { t } = useTranslation();
  const { open, toggle, key, region } = useDisclosure();
  return (
    <div className={styles.barPreferences}>
      <Button ref={key} size="sm" iconOnly aria-expanded={open} aria-controls="preferences" onClick={toggle}>
        <Icon of={IconLanguage} />
        <span className="sr-only">{t("nav.preferences")}</span>
      </Button>
      {open && (
        <div className={styles.pop} id="preferences" ref={region} role="group" aria-label={t("nav.preferences")}>
          <Preferences />
        </div>
      )}
    </div>
  );
}

/** Loaded when it is opened, so that no page waits for it. */
const Menu = optionalPart(() => import("./menu.tsx"));

/** The balance, on every page: a yellow pill that leads to all about money, with a plus that tops up. */
function BalancePill() {
  const { t } = useTranslation();
  const { data } = useQuery(balanceQuery);
  const currency = data?.currency ?? "USD";
  const balance = data === undefined ? `${currency} –` : formatBalance(data.balance, currency);
  const label = data === undefined ? t("balance.pillUnknown") : t("balance.pill", { balance });
  // Some languages write the code before the amount, others name the currency behind it.
  const amount = balance.startsWith(currency) ? balance.slice(currency.length) : balance;
  return (
    <span className={styles.pill} dir="ltr">
      <Link to="/billing" aria-label={label}>
        {amount !== balance && <span className={styles.cur}>{currency}</span>}
        <span>{amount}</span>
      </Link>
      <Link to="/topup" aria-label={t("nav.topUp")}>
        <Icon of={IconPlus} />
      </Link>
    </span>
  );
}
