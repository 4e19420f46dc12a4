import { useEffect } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { useToken } from "../session/session.ts";
import { Toaster } from "../ui/toaster.tsx";

/** Around every page: each new page begins at its top, and messages have their place. */
export function Root() {
  const { pathname } = useLocation();
  return (
    <>
      <Top key={pathname} />
      <Outlet />
      <Toaster />
    </>
  );
}

/** Made anew for every page: scrolls to the top. */
function Top() {
  useEffect(() => {
    window.scrollTo(0, 0);
  }, []);
  return null;
}

/** `/` leads a signed-in person to the dialer; a visitor reads the public site there. */
export function Home() {
  return useToken() === null ? <PublicSite /> : <Navigate to="/dialer" replace />;
}

/** Where the app was opened. The public site never opens the app for a visitor, unless there is no network. */
const openedAt = window.location.pathname;

/** Leaves the app for the public page of the same address, which the service writes. */
export function PublicSite() {
  const { pathname } = useLocation();
  const reachable = pathname !== openedAt;
  useEffect(() => {
    if (reachable) window.location.replace(pathname);
  }, [pathname, reachable]);
  return reachable ? null : <Navigate to="/login" replace />;
}
