import { useQuery } from "@tanstack/react-query";
import { IconExternalLink, IconFlask, IconWifiOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../service/queries.ts";
import { useOnline } from "../../browser/use-online.ts";
import { Icon } from "../../ui/icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./notices.module.css";

/** Says on every page that this is a sandbox, and links to the sandbox's page. */
export function SandboxNotice() {
  const { t } = useTranslation();
  const { data } = useQuery(configQuery);
  if (data?.mode !== "sandbox") return null;
  return (
    <aside className={classNames(styles.notice, styles.sandbox)}>
      <div className={classNames(styles.inner, "page")}>
        <span>
          <Icon of={IconFlask} />
          <span>{t("sandbox.text")}</span>
        </span>
        {data.sandbox_url !== null && (
          <a href={data.sandbox_url} target="_blank" rel="noreferrer">
            <span className={styles.link}>{t("sandbox.link")}</span>
            <Icon of={IconExternalLink} />
          </a>
        )}
      </div>
    </aside>
  );
}

/** Shown while the browser is offline. */
export function OfflineNotice() {
  const { t } = useTranslation();
  const online = useOnline();
  return (
    <div role="status">
      {!online && (
        <div className={classNames(styles.notice, styles.offline)}>
          <div className={classNames(styles.inner, "page")}>
            <span>
              <Icon of={IconWifiOff} />
              <span>{t("offline")}</span>
            </span>
          </div>
        </div>
      )}
    </div>
  );
}
