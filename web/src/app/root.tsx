import { useEffect } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { useToken } from "../session/session.ts";
import { Reauth } from "../ui/dialogs/reauth.tsx";
import { Toaster } from "../ui/messages/toaster.tsx";

/** Wraps every page: scrolls to the top on navigation and hosts the toasts. */
export function Root() {
  const { pathname } = useLocation();
  return (
    <>
      <Top key={pathname} />
      <Outlet />
      <Reauth />
      <Toaster />
    </>
  );
}

/** Remounted for every page: scrolls to the top. */
function Top() {
  useEffect(() => {
    window.scrollTo(0, 0);
  }, []);
  return null;
}

/** `/` redirects a signed-in user to the dialer; a visitor gets the public site. */
export function Home() {
  return useToken() === null ? <PublicSite /> : <Navigate to="/dialer" replace />;
}

/** Where the app was opened. The public site never opens the app for a visitor, except offline. */
const openedAt = window.location.pathname;

/** Leaves the app for the server-rendered page at the same address. */
export function PublicSite() {
  const { pathname } = useLocation();
  const reachable = pathname !== openedAt;
  useEffect(() => {
    if (reachable) window.location.replace(pathname);
  }, [pathname, reachable]);
  return reachable ? null : <Navigate to="/login" replace />;
}
