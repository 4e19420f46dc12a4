import { useEffect } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { useToken } from "../lib/session.ts";
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

/** `/` leads a signed-in person to the dialer and a visitor to the sign-in page. */
export function Home() {
  return <Navigate to={useToken() === null ? "/login" : "/dialer"} replace />;
}
