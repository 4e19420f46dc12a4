import { type ComponentType, useEffect, useLayoutEffect, useState } from "react";
import { Navigate, NavigationType, Outlet, useLocation, useNavigationType } from "react-router";
import { useSigningUp, useToken } from "../session/session.ts";
import { Toaster } from "../ui/messages/toaster.tsx";
import { useQuery } from "@tanstack/react-query";
import { userQuery } from "../service/queries.ts";
import { leavingFor } from "../session/log-out.ts";
import { forgetReturnPath, keepReturnPath, readReturnPath } from "../session/return-path.ts";
import { SignedInFrame } from "./frame/signed-in-frame.tsx";
import { VisitorFrame } from "./frame/visitor-frame.tsx";
import { dialerPath } from "@farline/contract/constants.ts";
import { ApiError, whenProofIsRequired } from "../service/http.ts";
import { loadPart } from "../session/load-part.ts";
import { withTexts } from "../text/i18n.ts";
import type { Asked } from "../ui/dialogs/reauth-dialog.tsx";

/** Wraps every page: scrolls to the top on navigation, with Back to where the page was left, and hosts the toasts. */
export function Root() {
  const { pathname } = useLocation();
  return (
    <>
      <Scroll key={pathname} />
      <Outlet />
      <Reauth />
      <Toaster />
    </>
  );
}

/** How far down the visited pages were left, in pixels, by their entry in the browser's history. */
const leftAt = new Map<string, number>();
const MAX_PAGES = 100;

/** Remounted for every page. */
function Scroll() {
  const { key } = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop;
  const [y] = useState(() => (isBack ? (leftAt.get(key) ?? 0) : 0));
  // Newer browsers answer with a promise, which React would take for the function that cleans up.
  useEffect(() => {
    window.scrollTo(0, y);
  }, [y]);
  // Before the next page takes this one's place.
  useLayoutEffect(
    () => () => {
      if (leftAt.size >= MAX_PAGES) leftAt.clear();
      leftAt.set(key, window.scrollY);
    },
    [key],
  );
  return null;
}

/** `/` redirects a signed-in user to the dialer; a visitor gets the public site. */
export function Home() {
  return useToken() === null ? <PublicSite /> : <Navigate to="/dialer" replace />;
}

/** Where the app was opened. The public site never opens the app for a visitor, except offline. */
const openedAt = window.location.pathname;

/** Leaves the app for the server-rendered page at the same address. */
function PublicSite() {
  const { pathname } = useLocation();
  const reachable = pathname !== openedAt;
  useEffect(() => {
    if (reachable) window.location.replace(pathname);
  }, [pathname, reachable]);
  return reachable ? null : <Navigate to="/login" replace />;
}

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

/** Pages for visitors only, and the last step of a sign-up. A signed-in user is redirected to the page requested before, or to the dialer. */
export function VisitorLayout() {
  const signedIn = useToken() !== null;
  const signingUp = useSigningUp();
  return signedIn && !signingUp ? <Inside /> : <AnyoneLayout />;
}

function Inside() {
  const { data: user } = useQuery({ ...userQuery, enabled: false });
  const [path] = useState(() => readReturnPath(user?.id ?? null));
  useEffect(forgetReturnPath, []);
  return <Navigate to={path ?? dialerPath} replace />;
}

/** Pages outside the app's frame that anyone can open, such as the targets of links in mails. */
export function AnyoneLayout() {
  return (
    <VisitorFrame>
      <Outlet />
    </VisitorFrame>
  );
}

interface Question {
  readonly asked: Asked;
  readonly Dialog: ComponentType<{ readonly asked: Asked }>;
}

/** Re-authenticates the user on the current page when the service requires it. */
function Reauth() {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(
    () =>
      whenProofIsRequired(async () => {
        const { ReauthDialog: Dialog } = await loadPart(() => withTexts(import("../ui/dialogs/reauth-dialog.tsx"), "account"));
        await new Promise<void>((proved, refused) => {
          const gaveUp = () => refused(new ApiError(0, "cancelled", "Nothing was changed."));
          setQuestion({ asked: { proved, gaveUp }, Dialog });
        }).finally(() => setQuestion(null));
      }),
    [],
  );
  return question === null ? null : <question.Dialog asked={question.asked} />;
}
