import { IconWifiOff } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { isCallLive } from "../session/session.ts";
import { useTitle } from "../browser/use-title.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { Button } from "../ui/button.tsx";

/** Replaces a page whose code is not cached and cannot be loaded now. The page loads once the network is back. */
export function OfflineScreen() {
  const { t } = useTranslation();
  useTitle(t("offlinePage.title"));
  useEffect(() => {
    const load = () => {
      if (!isCallLive()) window.location.reload();
    };
    window.addEventListener("online", load);
    return () => window.removeEventListener("online", load);
  }, []);
  return (
    <div role="status">
      <EmptyState
        as="h1"
        title={t("offlinePage.title")}
        text={t("offlinePage.text")}
        action={
          <Button onClick={() => window.location.reload()}>
            <Icon of={IconWifiOff} />
            <span>{t("tryAgain")}</span>
          </Button>
        }
      />
    </div>
  );
}
