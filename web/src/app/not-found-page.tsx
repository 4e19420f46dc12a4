import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isOnline } from "../browser/online.ts";
import { useTitle } from "../browser/page-hooks.ts";
import { isCallLive, useToken } from "../session/session.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { SandboxNotice } from "./notices/notices.tsx";
import { SignedInFrame } from "./frame/signed-in-frame.tsx";
import { classNames } from "../ui/class-names.ts";
import * as styles from "./frame/frame.module.css";
import { IconWifiOff } from "@tabler/icons-react";
import { Icon } from "../ui/icon.tsx";

/** Offline, the app's shell opens at every address, including those of server-rendered pages. */
export function NotFoundPage() {
  const [offline] = useState(() => !isOnline());
  const signedIn = useToken() !== null;
  const content = offline ? <OfflineScreen /> : <NotFound />;
  return signedIn ? <SignedInFrame>{content}</SignedInFrame> : <Outside home={offline}>{content}</Outside>;
}

/** A visitor's links. `home`: the page itself has no button that leads home. */
function Outside({ home, children }: { readonly home: boolean; readonly children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <>
      <SandboxNotice />
      <main className="main page" id="main">
        {children}
        <nav className={classNames(styles.nav, "row")} aria-label={t("nav.quick")}>
          {home && (
            <a className="link" href="/">
              {t("notFound.home")}
            </a>
          )}
          <a className="link" href="/rates">
            {t("nav.rates")}
          </a>
          <Link className="link" to="/login">
            {t("notFound.signIn")}
          </Link>
        </nav>
      </main>
    </>
  );
}

function NotFound() {
  const { t } = useTranslation();
  useTitle(t("notFound.title"));
  return (
    <EmptyState
      as="h1"
      title={t("notFound.title")}
      text={t("notFound.text")}
      action={
        <ButtonLink pair="action" to="/">
          {t("notFound.home")}
        </ButtonLink>
      }
    />
  );
}

/** Replaces a page whose code is not cached and cannot be loaded now. The page loads once the network is back. */
export function OfflineScreen() {
  const { t } = useTranslation();
  useTitle(t("offlinePage.title"));
  useEffect(() => {
    const load = () => {
      if (!isCallLive()) window.location.reload();
    };
    window.addEventListener("online", load);
    return () => window.removeEventListener("online", load);
  }, []);
  return (
    <div role="status">
      <EmptyState
        as="h1"
        title={t("offlinePage.title")}
        text={t("offlinePage.text")}
        action={
          <Button onClick={() => window.location.reload()}>
            <Icon of={IconWifiOff} />
            <span>{t("tryAgain")}</span>
          </Button>
        }
      />
    </div>
  );
}
