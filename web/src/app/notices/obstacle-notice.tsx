import { dialerPath } from "@farline/contract/constants.ts";
import { Suspense, useState } from "react";
import { useLocation } from "react-router";
import { optionalPart } from "../../session/load-part.ts";
import { loadTexts } from "../../text/i18n.ts";
import { type CallObstacle, plainObstacle } from "../../phone/call-obstacle.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import * as styles from "./notices.module.css";

/** Loaded only where no call can work, which is rare. The dialer says it, too. */
const CallAdvice = optionalPart(async () => {
  const [{ CallAdvice: Advice }] = await Promise.all([
    import("../../features/dialer/sound/call-advice.tsx"),
    loadTexts("dialer-parts"),
  ]);
  return { default: Advice };
});

/** Says on every page but the dialer, which says it itself, that no call can work here: before anybody signs up or pays. */
export function ObstacleNotice() {
  const { pathname } = useLocation();
  const [obstacle] = useState(() => (typeof window === "undefined" ? null : plainObstacle(window)));
  return obstacle === null || pathname === dialerPath ? null : <Shown obstacle={obstacle} pathname={pathname} />;
}

function Shown({ obstacle, pathname }: { readonly obstacle: CallObstacle; readonly pathname: string }) {
  return (
    <Suspense fallback={null}>
      <div className={styles.obstacle}>
        <Banner kind="warn">
          <CallAdvice of={obstacle} path={pathname} />
        </Banner>
      </div>
    </Suspense>
  );
}
