import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useTitle } from "../browser/use-title.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { SandboxNotice } from "./notices.tsx";
import { OfflineScreen } from "./offline-screen.tsx";

/** Without a network the app's shell opens at every address, also at those of pages that the service writes. */
export function NotFoundPage() {
  const [offline] = useState(() => !navigator.onLine);
  return offline ? <OfflineScreen /> : <NotFound />;
}

function NotFound() {
  const { t } = useTranslation();
  useTitle(t("notFound.title"));
  return (
    <>
      <SandboxNotice />
      <main className="main page" id="main">
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
      </main>
    </>
  );
}
