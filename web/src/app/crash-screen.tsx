import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../ui/empty-state.tsx";
import { buttonClass, Button } from "../ui/button.tsx";
import { OfflineScreen } from "./offline-screen.tsx";

/**
 * Shown when a page failed to render or its code failed to load; offline, the second is the likely cause. Every way out
 * reloads the app.
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
