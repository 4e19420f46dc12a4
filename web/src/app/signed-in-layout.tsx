import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, Outlet, useLocation } from "react-router";
import { ApiError } from "../lib/http.ts";
import { balanceQuery, userQuery } from "../lib/queries.ts";
import { useToken } from "../lib/session.ts";
import { LoadFailure } from "../ui/empty-state.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";
import { AppBar } from "./app-bar.tsx";
import { CallStrip, OfflineNotice, SandboxNotice } from "./notices.tsx";
import { TabBar } from "./tab-bar.tsx";

/** The frame of every page of a signed-in person. A visitor is sent to the sign-in page. */
export function SignedInLayout() {
  const signedIn = useToken() !== null;
  return signedIn ? <Frame /> : <Navigate to="/login" replace />;
}

function Frame() {
  const { t } = useTranslation();
  useQuery(balanceQuery);
  const main = useMainFocus();
  return (
    <>
      <a className="skip" href="#main">
        {t("skip")}
      </a>
      <SandboxNotice />
      <AppBar />
      <OfflineNotice />
      <CallStrip />
      <main className="main page" id="main" ref={main} tabIndex={-1}>
        <Page />
      </main>
      <TabBar />
    </>
  );
}

/**
 * The page itself, unless the profile cannot be loaded. A refusal (401) has ended the session by then; a service that
 * cannot be reached signs nobody out.
 */
function Page() {
  const { t } = useTranslation();
  const user = useQuery(userQuery);
  const unreachable =
    user.data === undefined && user.error !== null && !(user.error instanceof ApiError && user.error.status === 401);
  if (unreachable) return <LoadFailure text={t("start.title")} busy={user.isFetching} onRetry={() => void user.refetch()} />;
  return (
    <Suspense fallback={<SkeletonRows rows={4} />}>
      <Outlet />
    </Suspense>
  );
}

/** Moves the focus to the page's content when a link changed the page, as a page load would. */
function useMainFocus() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}
