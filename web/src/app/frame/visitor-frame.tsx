import { type ReactNode, Suspense } from "react";
import { classNames } from "../../ui/class-names.ts";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { ObstacleNotice, OfflineNotice, SandboxNotice } from "../notices/notices.tsx";
import { Preferences } from "./preferences.tsx";
import * as styles from "./frame.module.css";

/** What stands around a page outside the app's frame: the notices above it, and the reader's choices below. */
export function VisitorFrame({ children }: { readonly children: ReactNode }) {
  return (
    <div className={styles.visitor}>
      <SandboxNotice />
      <OfflineNotice />
      <div className={classNames(styles.obstacle, "page")}>
        <ObstacleNotice />
      </div>
      <Suspense fallback={<Waiting />}>{children}</Suspense>
      <footer className={classNames(styles.foot, "page")}>
        <Preferences belowPage />
      </footer>
    </div>
  );
}

/** Takes the page's place, so that the choices below it do not jump. */
function Waiting() {
  return (
    <main className={classNames(styles.waiting, "page")} id="main">
      <SkeletonRows rows={4} />
    </main>
  );
}
