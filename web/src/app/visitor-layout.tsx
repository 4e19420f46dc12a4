import { dialerPath } from "@farline/contract/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { Navigate, Outlet } from "react-router";
import { userQuery } from "../service/queries.ts";
import { forgetReturnPath, readReturnPath } from "../session/return-path.ts";
import { useToken } from "../session/session.ts";
import { OfflineNotice, SandboxNotice } from "./notices/notices.tsx";
import { ObstacleNotice } from "./notices/obstacle-notice.tsx";
import { Preferences } from "./frame/preferences.tsx";
import { classNames } from "../ui/class-names.ts";
import * as styles from "./visitor-layout.module.css";

/** Pages for visitors only. A signed-in user is redirected to the page requested before, or to the dialer. */
export function VisitorLayout() {
  const signedIn = useToken() !== null;
  return signedIn ? <Inside /> : <AnyoneLayout />;
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
    <div className={styles.visitor}>
      <SandboxNotice />
      <OfflineNotice />
      <div className={classNames(styles.obstacle, "page")}>
        <ObstacleNotice />
      </div>
      <Suspense fallback={null}>
        <Outlet />
      </Suspense>
      <footer className={classNames(styles.foot, "page")}>
        <Preferences belowPage />
      </footer>
    </div>
  );
}
