import { QueryClientProvider } from "@tanstack/react-query";
import { ErrorBoundary, type FallbackProps } from "react-error-boundary";
import { BrowserRouter, useRoutes } from "react-router";
import { leaveDrawnPage } from "../browser/drawn-page.ts";
import { isOnline } from "../browser/online.ts";
import { queryClient } from "../service/query-client.ts";
import { routes } from "./routes.tsx";
import { dialerPath } from "@farline/contract/constants.ts";
import { useEffect, useInsertionEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../ui/empty-state.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { failureShown } from "../session/load-part.ts";
import { useRunningCall } from "../session/running-call.ts";
import { OfflineScreen } from "./not-found-page.tsx";
import { RunningCallStrip } from "./notices/call-strip.tsx";

export function App() {
  useInsertionEffect(leaveDrawnPage, []);
  return (
    <ErrorBoundary FallbackComponent={CrashScreen}>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <Pages />
        </BrowserRouter>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

function Pages() {
  return useRoutes(routes);
}

/**
 * Shown when a page failed to render or its code failed to load; offline, the second is the likely cause. Every way out
 * reloads the app, except during a call: the phone is independent of the page, so the call continues and must stay reachable.
 */
function CrashScreen({ resetErrorBoundary }: FallbackProps) {
  const { t } = useTranslation();
  const call = useRunningCall();
  const [offline] = useState(() => !isOnline());
  useEffect(failureShown, []);
  const back = () => {
    window.history.replaceState(null, "", dialerPath);
    resetErrorBoundary();
  };
  if (call !== null)
    return (
      <>
        <RunningCallStrip
          call={call}
          back={
            <Button size="sm" onClick={back}>
              {t("callStrip.rejoin")}
            </Button>
          }
        />
        <main className="main page" id="main">
          <div role="alert">
            <EmptyState as="h1" title={t("crash.title")} text={t("crash.inCall")} />
          </div>
        </main>
      </>
    );
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
