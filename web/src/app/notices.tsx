import { useQuery } from "@tanstack/react-query";
import { IconExternalLink, IconFlask, IconPhoneFilled, IconWifiOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { configQuery } from "../lib/queries.ts";
import { useCallLive } from "../lib/session.ts";
import { useOnline } from "../lib/use-online.ts";
import { Icon } from "../ui/icon.tsx";
import { dialerPath } from "./navigation.ts";

/** Says on every page that nothing here is real, with the way to the stand-ins. */
export function SandboxNotice() {
  const { t } = useTranslation();
  const { data } = useQuery(configQuery);
  if (data?.mode !== "sandbox") return null;
  return (
    <aside className="notice notice--sandbox">
      <div className="notice__in page">
        <span>
          <Icon of={IconFlask} />
          {t("sandbox.text")}
        </span>
        {data.sandbox_url !== null && (
          <a href={data.sandbox_url} target="_blank" rel="noreferrer">
            <span className="notice__link">{t("sandbox.link")}</span>
            <Icon of={IconExternalLink} />
          </a>
        )}
      </div>
    </aside>
  );
}

/** Stays while the browser has no network. */
export function OfflineNotice() {
  const { t } = useTranslation();
  const online = useOnline();
  return (
    <div role="status">
      {!online && (
        <div className="notice notice--offline">
          <div className="notice__in page">
            <span>
              <Icon of={IconWifiOff} />
              {t("offline")}
            </span>
          </div>
        </div>
      )}
    </div>
  );
}

/** Leads back to a live call from every other page. */
export function CallStrip() {
  const { t } = useTranslation();
  const live = useCallLive();
  const { pathname } = useLocation();
  if (!live || pathname === dialerPath) return null;
  return (
    <Link className="notice notice--call" to={dialerPath}>
      <span className="notice__in page">
        <span>
          <Icon of={IconPhoneFilled} />
          {t("callStrip.text")}
        </span>
        <span className="notice__go">{t("callStrip.back")}</span>
      </span>
    </Link>
  );
}
