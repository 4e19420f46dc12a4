import { dialerPath } from "@farline/contract/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { useLocation } from "react-router";
import { optionalPart } from "../../session/load-part.ts";
import { useCallLive } from "../../session/session.ts";
import { userQuery } from "../../service/queries.ts";
import { loadTexts } from "../../text/i18n.ts";

/** Loaded only for accounts that are closing, which are few. */
const ClosingNotice = optionalPart(async () => {
  const [{ ClosingNotice: Notice }] = await Promise.all([import("../../features/account/notices.tsx"), loadTexts("account")]);
  return { default: Notice };
});

/** Pages without use while calls and payments are closed: only the notice is shown. */
const closed: readonly string[] = [dialerPath, "/topup"];

/** The page, below a notice if the signed-in customer's account is due for deletion. */
export function WithClosingNotice({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  const { data: user } = useQuery(userQuery);
  const callLive = useCallLive();
  const at = user?.closes_at ?? null;
  return (
    <>
      {at !== null && (
        <Suspense fallback={null}>
          <ClosingNotice at={at} alone={closed.includes(pathname)} />
        </Suspense>
      )}
      {(at === null || callLive || !closed.includes(pathname)) && children}
    </>
  );
}
