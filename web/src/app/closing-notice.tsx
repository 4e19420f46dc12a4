import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { userQuery } from "../service/queries.ts";
import { loadTexts } from "../text/i18n.ts";

/** Few accounts are closing: the others do not load it. */
const ClosingNotice = lazy(async () => {
  const [{ ClosingNotice: Notice }] = await Promise.all([
    import("../features/account/leaving/closing-notice.tsx"),
    loadTexts("account"),
  ]);
  return { default: Notice };
});

/** Shown while the account of the signed-in customer is to be deleted. */
export function WithClosingNotice() {
  const { data: user } = useQuery(userQuery);
  const at = user?.closes_at ?? null;
  if (at === null) return null;
  return (
    <Suspense fallback={null}>
      <ClosingNotice at={at} />
    </Suspense>
  );
}
