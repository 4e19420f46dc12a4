import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { userQuery } from "../service/queries.ts";
import { leavingFor } from "../session/log-out.ts";
import { keepReturnPath } from "../session/return-path.ts";
import { useToken } from "../session/session.ts";
import { PublicSite } from "./root.tsx";
import { SignedInFrame } from "./frame/signed-in-frame.tsx";

/** The only page of the app that visitors can read too, on the public site. */
const PUBLIC_PATH = "/rates";

/** The frame of every signed-in page. A visitor is redirected to the sign-in page, a customer who logged out to the page that follows. */
export function SignedInLayout() {
  const token = useToken();
  const { pathname } = useLocation();
  const lastCustomer = useLastCustomer();
  if (token !== null)
    return (
      <SignedInFrame>
        <Outlet />
      </SignedInFrame>
    );
  return pathname === PUBLIC_PATH && leavingFor() === null ? <PublicSite /> : <ToSignIn lastCustomer={lastCustomer} />;
}

/** The id of the session's customer, kept after the session ends on the open page; null for a visitor. */
function useLastCustomer(): string | null {
  const { data: user } = useQuery({ ...userQuery, enabled: false });
  const [last, setLast] = useState<string | null>(null);
  if (user !== undefined && user.id !== last) setLast(user.id);
  return last;
}

/**
 * Redirects to the sign-in page and stores the requested path, or loads the public page if the customer logged out. That replaces this
 * page, which Back could otherwise show empty.
 */
function ToSignIn({ lastCustomer }: { readonly lastCustomer: string | null }) {
  const { pathname, search } = useLocation();
  const [next] = useState(leavingFor);
  useEffect(() => {
    if (next === null) keepReturnPath(pathname + search, lastCustomer);
    else if (next === "/") window.location.replace(next);
  }, [next, pathname, search, lastCustomer]);
  return next === "/" ? null : <Navigate to="/login" replace />;
}
