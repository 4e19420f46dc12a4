import { useQuery } from "@tanstack/react-query";
import { IconMenu2, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, NavLink, useLocation } from "react-router";
import mark from "../assets/mark-yellow.svg";
import { formatMoney } from "../lib/format.ts";
import { balanceQuery, userQuery } from "../lib/queries.ts";
import { Icon } from "../ui/icon.tsx";
import { Key } from "../ui/key.tsx";
import { logOut } from "./log-out.ts";
import { navigation } from "./navigation.ts";

/** The petrol bar of a signed-in person. Below 1024 px its links fold into a menu. */
export function AppBar() {
  const { t } = useTranslation();
  const user = useQuery(userQuery);
  const { open, toggle, menuKey } = useMenu();
  return (
    <header className="appbar on-panel">
      <div className="appbar__in page">
        <Link className="brand" to="/dialer" aria-label={t("nav.home")}>
          <img src={mark} alt="" width="36" height="36" />
          <span>{t("brand")}</span>
        </Link>
        <nav aria-label={t("nav.main")}>
          <ul className="appbar__links">
            {navigation.map((item) => (
              <li key={item.to}>
                <NavLink className="appbar__link" to={item.to}>
                  {t(item.label)}
                </NavLink>
              </li>
            ))}
          </ul>
        </nav>
        <div className="appbar__end">
          <BalancePill />
          <span className="appbar__user">{user.data?.name}</span>
          <Key size="sm" className="appbar__logout" onClick={logOut}>
            {t("nav.logout")}
          </Key>
          <Key
            ref={menuKey}
            size="sm"
            iconOnly
            className="appbar__menu"
            aria-expanded={open}
            aria-controls="menu"
            aria-label={t("nav.menu")}
            onClick={toggle}
          >
            <Icon of={open ? IconX : IconMenu2} />
          </Key>
        </div>
      </div>
      {open && <Menu name={user.data?.name} />}
    </header>
  );
}

/** The menu is open on the page it was opened on: every way to another page closes it, and so does Escape. */
function useMenu() {
  const { pathname } = useLocation();
  const [openOn, setOpenOn] = useState<string | null>(null);
  const menuKey = useRef<HTMLButtonElement>(null);
  const open = openOn === pathname;
  useEffect(() => {
    if (!open) return undefined;
    const close = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setOpenOn(null);
      menuKey.current?.focus();
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [open]);
  return { open, menuKey, toggle: () => setOpenOn(open ? null : pathname) };
}

function Menu({ name }: { readonly name: string | undefined }) {
  const { t } = useTranslation();
  return (
    <nav className="menu page" id="menu" aria-label={t("nav.menu")}>
      <ul>
        {navigation.map((item) => (
          <li key={item.to}>
            <NavLink to={item.to}>
              <Icon of={item.icon} />
              {t(item.label)}
            </NavLink>
          </li>
        ))}
      </ul>
      <div className="menu__row">
        <span>{name}</span>
        <Key size="sm" onClick={logOut}>
          {t("nav.logout")}
        </Key>
      </div>
    </nav>
  );
}

/** The balance, on every page: a yellow pill that leads to the top-up page. */
function BalancePill() {
  const { t } = useTranslation();
  const { data } = useQuery(balanceQuery);
  const amount = data === undefined ? "–" : formatMoney(data.balance);
  const label = data === undefined ? t("balance.pillUnknown") : t("balance.pill", { balance: `${data.currency} ${amount}` });
  return (
    <Link className="pill" to="/topup" aria-label={label}>
      <span className="pill__cur">{data?.currency ?? "USD"}</span> {amount}
    </Link>
  );
}
