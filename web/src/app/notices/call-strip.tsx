import { dialerPath } from "@farline/contract/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { IconPhoneFilled } from "@tabler/icons-react";
import { type ReactElement, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { withTexts } from "../../text/i18n.ts";
import { askForLiveCall } from "../../service/live-call.ts";
import { queryKeys } from "../../service/queries.ts";
import { optionalPart } from "../../session/load-part.ts";
import { type RunningCall, useCallViewShown, useRunningCall } from "../../session/running-call.ts";
import { callMarker } from "../../phone/call/call-marker.ts";
import { Icon } from "../../ui/icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import { after } from "../../time/timers.ts";
import * as styles from "./notices.module.css";
import { formatCost, formatTimer } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import * as iconStyles from "../../ui/icon.module.css";

const VIEW_OPENS_WITHIN_MS = 1000;

/** Loaded only when there is a call to show, which is rare. If it fails to load, a link to the dialer replaces it. */
const OpenCallStrip = optionalPart(
  async () => ({
    default: (await withTexts(import("../../features/dialer/call/open-call-strip.tsx"), "dialer")).OpenCallStrip,
  }),
  CallLink,
);

/**
 * The live call, wherever the call view is not mounted: a call of this page, a call this tab was in before a reload, or a call of
 * another tab or device. The dialer shows the last two itself.
 */
export function CallStrip() {
  const running = useRunningCall();
  const live = running !== null;
  const { pathname } = useLocation();
  const elsewhere = pathname !== dialerPath;
  const { data } = useQuery({
    queryKey: [...queryKeys.calls, "live"],
    queryFn: ({ signal }) => askForLiveCall(callMarker.get()?.callId ?? null, signal),
    // Fetched once; live hints report later changes.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: elsewhere && !live,
  });
  if (live) return <OwnCallStrip call={running} />;
  if (!elsewhere) return null;
  if (!data?.call) return null;
  return (
    <Suspense fallback={null}>
      <OpenCallStrip />
    </Suspense>
  );
}

/** Delays the strip on the dialer, whose call view opens a moment after the click. */
function OwnCallStrip({ call }: { readonly call: RunningCall }) {
  const { t } = useTranslation();
  const isShown = useCallViewShown();
  const mayOpen = useLocation().pathname === dialerPath;
  const [waited, setWaited] = useState(false);
  useEffect(() => {
    return after(VIEW_OPENS_WITHIN_MS, () => setWaited(true));
  }, []);
  if (isShown || (mayOpen && !waited)) return null;
  return (
    <RunningCallStrip
      call={call}
      back={
        <Link className={styles.back} to={dialerPath}>
          {t("callStrip.back")}
        </Link>
      }
    />
  );
}

function CallLink() {
  const { t } = useTranslation();
  return (
    <Link className={classNames(styles.notice, styles.callNotice)} to={dialerPath}>
      <span className={classNames(styles.inner, "page")}>
        <span>
          <Icon of={IconPhoneFilled} />
          <span>{t("callStrip.text")}</span>
        </span>
        <span className={styles.go}>{t("callStrip.back")}</span>
      </span>
    </Link>
  );
}

interface RunningCallStripProps {
  readonly call: RunningCall;
  /** Returns to the call. */
  readonly back: ReactElement;
}

/** This tab's running call on pages without the call view: callee, duration, cost, and Hang Up. */
export function RunningCallStrip({ call, back }: RunningCallStripProps) {
  const { t } = useTranslation();
  return (
    <section className={classNames(styles.notice, styles.callNotice, styles.runstrip)} aria-label={t("callStrip.text")}>
      <div className={classNames(styles.inner, styles.stripInner, "page")}>
        <p className={styles.stripCall}>
          <Icon of={IconPhoneFilled} />
          <bdi className={styles.who}>{call.who}</bdi>
          <span className="fig">{formatTimer(call.seconds)}</span>
          <span className="fig">{formatCost(call.cost)}</span>
        </p>
        <div className={styles.actions}>
          {back}
          <Button pair="end" size="sm" onClick={() => call.hangUp()}>
            <Icon of={IconPhoneFilled} className={iconStyles.down} />
            <span>{t("callStrip.hangUp")}</span>
          </Button>
        </div>
      </div>
    </section>
  );
}
