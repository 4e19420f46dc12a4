import { dialerPath } from "@farline/contract/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { useLocation } from "react-router";
import { userQuery } from "../../service/queries.ts";
import { optionalPart } from "../../session/load-part.ts";
import { useCallLive } from "../../session/session.ts";
import { whenIdle } from "../../browser/page-life.ts";
import { accountPath } from "../navigation.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./email-notice.module.css";

/** The page itself loads first. */
const FETCH_WITHIN_MS = 1500;

const UnverifiedNotice = optionalPart(async () => {
  await whenIdle(FETCH_WITHIN_MS);
  const { UnverifiedNotice: Notice } = await import("../../features/account/notices.tsx");
  return { default: Notice };
});

/** On these pages the notice comes after the page, so that nothing precedes a call or a payment. */
const undisturbed: readonly string[] = [dialerPath, "/topup", "/billing"];

/** Asks users who have not confirmed their mail address to do so, except during a call. */
export function WithEmailNotice({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  const { data: user } = useQuery(userQuery);
  const callLive = useCallLive();
  const wanted = user?.email_verified === false && !callLive && pathname !== accountPath;
  const below = undisturbed.some((path) => pathname === path || pathname.startsWith(`${path}/`));
  const notice = wanted && (
    <div className={below ? classNames(styles.emailNotice, styles.below) : styles.emailNotice}>
      <Suspense fallback={null}>
        <UnverifiedNotice user={user} />
      </Suspense>
    </div>
  );
  // The page keeps its position among the children, so that React keeps its state.
  return (
    <>
      {!below && notice}
      {children}
      {below && notice}
    </>
  );
}
