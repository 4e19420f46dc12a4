import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../ui/empty-state.tsx";
import { buttonClass, Button } from "../ui/button.tsx";
import { OfflineScreen } from "./offline-screen.tsx";

/**
 * What stands when a page broke while it was drawn, or its code could not be loaded: without a network that is the
 * reason. All ways out load the app anew.
 */
export function CrashScreen() {
  const { t } = useTranslation();
  const [offline] = useState(() => !navigator.onLine);
  if (offline)
    return (
      <main className="main page" id="main">
        <OfflineScreen />
        <a className="link" href="/">
          {t("notFound.home")}
        </a>
      </main>
    );
  return (
    <main className="main page" id="main">
      <div role="alert">
        <EmptyState
          as="h1"
          title={t("crash.title")}
          text={t("crash.text")}
          action={
            <div className="row">
              <a className={buttonClass({ pair: "action" })} href="/">
                {t("crash.home")}
              </a>
              <Button onClick={() => window.location.reload()}>{t("crash.reload")}</Button>
            </div>
          }
        />
      </div>
    </main>
  );
}
