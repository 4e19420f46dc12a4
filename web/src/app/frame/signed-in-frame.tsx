import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { ApiError } from "../../service/http.ts";
import { claimInvitation } from "../../service/invitation.ts";
import { balanceQuery, userQuery } from "../../service/queries.ts";
import { keepShell } from "../../browser/workers.ts";
import { useToken } from "../../session/session.ts";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { AppBar } from "./app-bar.tsx";
import { CallStrip } from "../notices/call-strip.tsx";
import {
  LockedNotice,
  ObstacleNotice,
  OfflineNotice,
  SandboxNotice,
  WithClosingNotice,
  WithEmailNotice,
} from "../notices/notices.tsx";
import { after } from "../../time/timers.ts";
import { dialerPath } from "@farline/contract/constants.ts";
import { Icon } from "../../ui/icon.tsx";
import { isTabOf, tabs } from "../navigation.ts";
import { useShell } from "../../browser/page-hooks.ts";
import * as styles from "./frame.module.css";

/** Delay before the app's shell is cached for offline use, so that it does not compete with the page load. */
const KEEP_SHELL_AFTER_MS = 3000;

/** The frame around a page. Remounted for another session: it may be another customer's, and all parts must read their data. */
export function SignedInFrame({ children }: { readonly children: ReactNode }) {
  return <Frame key={useToken()}>{children}</Frame>;
}

function Frame({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  useQuery(balanceQuery);
  useEffect(() => void claimInvitation(), []);
  const { pathname } = useLocation();
  const main = useMainFocus(pathname);
  const shell = useShell();
  useEffect(() => {
    // A browser that refuses the worker (a private window, a full disk) shows its own offline page.
    return after(KEEP_SHELL_AFTER_MS, () => void keepShell().catch(() => undefined));
  }, []);
  return (
    <>
      <a className="skip" href="#main">
        {t("skip")}
      </a>
      <SandboxNotice />
      <AppBar />
      <OfflineNotice />
      <CallStrip />
      <main className="main page" id="main" ref={main} tabIndex={-1} inert={shell && pathname !== dialerPath}>
        <WithClosingNotice>
          <WithEmailNotice>
            <ObstacleNotice />
            <LockedNotice />
            <Page>{children}</Page>
          </WithEmailNotice>
        </WithClosingNotice>
      </main>
      <TabBar />
    </>
  );
}

/**
 * The page, unless the profile cannot be loaded. A 401 has ended the session by then; an unreachable service signs nobody
 * out.
 */
function Page({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const user = useQuery(userQuery);
  const unreachable =
    user.data === undefined && user.error !== null && !(user.error instanceof ApiError && user.error.status === 401);
  if (unreachable) return <LoadFailure text={t("start.title")} of={user} />;
  return <Suspense fallback={<SkeletonRows rows={4} />}>{children}</Suspense>;
}

/** Moves focus to the page's content after a client-side navigation, as a page load would. */
function useMainFocus(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}

/** The most used pages within reach of the thumb, on phones. The bar's menu has all pages. */
function TabBar() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  return (
    <nav className={styles.tabbar} aria-label={t("nav.quick")} inert={useShell()}>
      <ul>
        {tabs.map(({ to, icon, label }) => (
          <li key={to}>
            <Link
              className={to === dialerPath ? styles.dial : undefined}
              to={to}
              aria-current={to === pathname ? "page" : isTabOf(pathname, to) || undefined}
            >
              <span className={to === dialerPath ? styles.dialButton : undefined}>
                <Icon of={icon} />
              </span>
              <span>{t(label)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
