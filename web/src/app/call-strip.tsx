import { useQuery } from "@tanstack/react-query";
import { IconPhoneFilled } from "@tabler/icons-react";
import { type ComponentType, lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { loadTexts } from "../text/i18n.ts";
import { askForLiveCall } from "../service/live-call.ts";
import { queryKeys } from "../service/queries.ts";
import { useCallLive } from "../session/session.ts";
import { callMarker } from "../phone/call/call-marker.ts";
import { Icon } from "../ui/icon.tsx";
import { dialerPath } from "./navigation.ts";
import "./notices.css";

/** Loaded only when there is a call to show, which is rare. If it fails to load, a link to the dialer replaces it. */
const OpenCallStrip = lazy(async (): Promise<{ default: ComponentType<{ readonly dialerPath: string }> }> => {
  try {
    const [strip] = await Promise.all([import("../features/dialer/call/open-call-strip.tsx"), loadTexts("dialer")]);
    return { default: strip.OpenCallStrip };
  } catch {
    return { default: CallLink };
  }
});

/**
 * Leads back to a live call from every page except the dialer, which shows it itself: a call of this page, a call this tab
 * was in before a reload, or a call of another tab or device.
 */
export function CallStrip() {
  const live = useCallLive();
  const { pathname } = useLocation();
  const elsewhere = pathname !== dialerPath;
  const { data } = useQuery({
    queryKey: [...queryKeys.calls, "live"],
    queryFn: ({ signal }) => askForLiveCall(callMarker.get()?.callId ?? null, signal),
    // Fetched once; live hints report later changes.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: elsewhere && !live,
  });
  if (!elsewhere) return null;
  if (live) return <CallLink />;
  if (!data?.call) return null;
  return (
    <Suspense fallback={null}>
      <OpenCallStrip dialerPath={dialerPath} />
    </Suspense>
  );
}

function CallLink() {
  const { t } = useTranslation();
  return (
    <Link className="notice notice--call" to={dialerPath}>
      <span className="notice__in page">
        <span>
          <Icon of={IconPhoneFilled} />
          <span>{t("callStrip.text")}</span>
        </span>
        <span className="notice__go">{t("callStrip.back")}</span>
      </span>
    </Link>
  );
}
