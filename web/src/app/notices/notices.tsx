import { useQuery } from "@tanstack/react-query";
import { IconExternalLink, IconFlask, IconWifiOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { User } from "@farline/contract/accounts.ts";
import { readSeen } from "../../service/last-seen.ts";
import { configQuery, userQuery } from "../../service/queries.ts";
import { useOnline, useShell } from "../../browser/page-hooks.ts";
import { Icon } from "../../ui/icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./notices.module.css";
import { dialerPath } from "@farline/contract/constants.ts";
import { type ReactNode, Suspense, useState } from "react";
import { useLocation } from "react-router";
import { optionalPart } from "../../session/load-part.ts";
import { withTexts } from "../../text/i18n.ts";
import { type CallObstacle, plainObstacle } from "../../phone/call-obstacle.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { useCallLive } from "../../session/session.ts";
import { accountPath } from "../navigation.ts";

/** Says on every page that this is a sandbox, and links to the sandbox's page. In a drawn page, the root's mark decides whether it shows. */
export function SandboxNotice() {
  const { t } = useTranslation();
  const { data } = useQuery(configQuery);
  const shell = useShell();
  if (data?.mode !== "sandbox" && !shell) return null;
  return (
    <aside className={classNames(styles.notice, styles.sandbox)} inert={shell}>
      <div className={classNames(styles.inner, "page")}>
        <span>
          <Icon of={IconFlask} />
          <span>{t("sandbox.text")}</span>
        </span>
        {data?.sandbox_url !== null && (
          <a href={data?.sandbox_url} target="_blank" rel="noreferrer">
            <span className={styles.link}>{t("sandbox.link")}</span>
            <Icon of={IconExternalLink} />
          </a>
        )}
      </div>
    </aside>
  );
}

/** Shown while the browser is offline. */
export function OfflineNotice() {
  const { t } = useTranslation();
  const online = useOnline();
  return (
    <div role="status">
      {!online && (
        <div className={classNames(styles.notice, styles.offline)}>
          <div className={classNames(styles.inner, "page")}>
            <span>
              <Icon of={IconWifiOff} />
              <span>{t("offline")}</span>
            </span>
          </div>
        </div>
      )}
    </div>
  );
}

/** Loaded only where no call can work, which is rare. The dialer says it, too. */
const CallAdvice = optionalPart(async () => ({
  default: (await withTexts(import("../../features/dialer/sound/call-advice.tsx"), "dialer-parts")).CallAdvice,
}));

/** Says on every page but the dialer, which says it itself, that no call can work here: before anybody signs up or pays. */
export function ObstacleNotice() {
  const { pathname } = useLocation();
  const [obstacle] = useState(() => (typeof window === "undefined" ? null : plainObstacle(window)));
  return obstacle === null || pathname === dialerPath ? null : <Shown obstacle={obstacle} pathname={pathname} />;
}

function Shown({ obstacle, pathname }: { readonly obstacle: CallObstacle; readonly pathname: string }) {
  return (
    <Suspense fallback={null}>
      <div className={styles.obstacle}>
        <Banner kind="warn">
          <CallAdvice of={obstacle} path={pathname} />
        </Banner>
      </div>
    </Suspense>
  );
}

/** Loaded only for accounts that are locked, closing or unconfirmed, which are few. */
const LockedBanner = optionalPart(async () => ({
  default: (await withTexts(import("../../features/account/notices.tsx"), "account")).LockedBanner,
}));
const ClosingNotice = optionalPart(async () => ({
  default: (await withTexts(import("../../features/account/notices.tsx"), "account")).ClosingNotice,
}));
const UnverifiedNotice = optionalPart(async () => ({
  default: (await withTexts(import("../../features/account/notices.tsx"), "account")).UnverifiedNotice,
}));

/** On every page of a locked account: why calls and payments are refused, and what to do. */
export function LockedNotice() {
  const { data: user } = useQuery(userQuery);
  const because = user?.frozen_because ?? null;
  if (because === null) return null;
  return (
    <Suspense fallback={null}>
      <LockedBanner because={because} />
    </Suspense>
  );
}

/** Pages without use while calls and payments are closed: only the notice is shown. */
const closed: readonly string[] = [dialerPath, "/topup"];

/** The page, below a notice if the signed-in customer's account is due for deletion. */
export function WithClosingNotice({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  const { data: user } = useQuery(userQuery);
  const callLive = useCallLive();
  const at = user?.closes_at ?? null;
  return (
    <>
      {at !== null && (
        <Suspense fallback={null}>
          <ClosingNotice at={at} alone={closed.includes(pathname)} />
        </Suspense>
      )}
      {(at === null || callLive || !closed.includes(pathname)) && children}
    </>
  );
}

/** On these pages the notice comes after the page, so that nothing precedes a call or a payment. */
const undisturbed: readonly string[] = ["/topup", "/billing"];
const isUndisturbed = (pathname: string): boolean =>
  undisturbed.some((path) => pathname === path || pathname.startsWith(`${path}/`));
/** Pages that ask for it themselves. */
const asking: readonly string[] = [dialerPath, accountPath];

/** Loads what the frame says above the page about an account as it was last seen: later, it would push the page down. */
export async function openNotices(pathname: string): Promise<void> {
  const user = readSeen<User>("user")?.data;
  if (user === undefined) return;
  const isAsked = !user.email_verified && !asking.includes(pathname) && !isUndisturbed(pathname);
  await Promise.all([
    user.closes_at !== null && ClosingNotice.open(),
    user.frozen_because !== null && LockedBanner.open(),
    isAsked && UnverifiedNotice.open(),
  ]);
}

/** Asks users who have not confirmed their mail address to do so, except during a call. */
export function WithEmailNotice({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  const { data: user } = useQuery(userQuery);
  const callLive = useCallLive();
  const wanted = user?.email_verified === false && !callLive && !asking.includes(pathname);
  const below = isUndisturbed(pathname);
  const notice = wanted && (
    <div className={below ? classNames(styles.emailNotice, styles.below) : styles.emailNotice}>
      <Suspense fallback={null}>
        <UnverifiedNotice user={user} />
      </Suspense>
    </div>
  );
  // The page keeps its position among the children, so that React keeps its state.
  return (
    <>
      {!below && notice}
      {children}
      {below && notice}
    </>
  );
}
