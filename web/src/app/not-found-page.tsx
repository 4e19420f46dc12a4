import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "../browser/use-title.ts";
import { useToken } from "../session/session.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { SandboxNotice } from "./notices/notices.tsx";
import { OfflineScreen } from "./offline-screen.tsx";
import { SignedInFrame } from "./frame/signed-in-frame.tsx";
import { classNames } from "../ui/class-names.ts";
import * as styles from "./visitor-layout.module.css";

/** Offline, the app's shell opens at every address, including those of server-rendered pages. */
export function NotFoundPage() {
  const [offline] = useState(() => !navigator.onLine);
  const signedIn = useToken() !== null;
  const content = offline ? <OfflineScreen /> : <NotFound />;
  return signedIn ? <SignedInFrame>{content}</SignedInFrame> : <Outside>{content}</Outside>;
}

/** A visitor's links. */
function Outside({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <>
      <SandboxNotice />
      <main className="main page" id="main">
        {children}
        <nav className={classNames(styles.nav, "row")} aria-label={t("nav.quick")}>
          <a className="link" href="/">
            {t("notFound.home")}
          </a>
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
