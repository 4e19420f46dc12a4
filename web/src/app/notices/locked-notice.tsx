import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { userQuery } from "../../service/queries.ts";
import { optionalPart } from "../../session/load-part.ts";
import { loadTexts } from "../../text/i18n.ts";

/** Loaded only for locked accounts, which are few. */
const LockedBanner = optionalPart(async () => {
  const [{ LockedBanner: Notice }] = await Promise.all([import("./locked-banner.tsx"), loadTexts("account")]);
  return { default: Notice };
});

/** On every page of a locked account: why calls and payments are refused, and what to do. */
export function LockedNotice() {
  const { data: user } = useQuery(userQuery);
  const because = user?.frozen_because ?? null;
  if (because === null) return null;
  return (
    <Suspense fallback={null}>
      <LockedBanner because={because} />
    </Suspense>
  );
}
