import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { useLocation } from "react-router";
import { userQuery } from "../service/queries.ts";
import { useCallLive } from "../session/session.ts";
import { whenIdle } from "../browser/when-idle.ts";
import { accountPath, dialerPath } from "./navigation.ts";
import "./email-notice.css";

/** What stands on the page already comes first. */
const FETCH_WITHIN_MS = 1500;

const UnverifiedNotice = lazy(async () => {
  await whenIdle(FETCH_WITHIN_MS);
  const { UnverifiedNotice: Notice } = await import("../features/account/unverified-notice.tsx");
  return { default: Notice };
});

/** Here the notice comes after the page: nothing stands before a call or a payment. */
const undisturbed: readonly string[] = [dialerPath, "/topup", "/billing"];

/** Asks whoever has not confirmed the mail address to do so, beside the page; not during a call. */
export function WithEmailNotice({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  const { data: user } = useQuery(userQuery);
  const callLive = useCallLive();
  const wanted = user?.email_verified === false && !callLive && pathname !== accountPath;
  const below = undisturbed.some((path) => pathname === path || pathname.startsWith(`${path}/`));
  const notice = wanted && (
    <div className={below ? "email-notice email-notice--below" : "email-notice"}>
      <Suspense fallback={null}>
        <UnverifiedNotice user={user} />
      </Suspense>
    </div>
  );
  // The page keeps its place among the three, so that it keeps its state.
  return (
    <>
      {!below && notice}
      {children}
      {below && notice}
    </>
  );
}
