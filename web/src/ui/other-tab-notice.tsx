import { IconExternalLink } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { OtherTab } from "../browser/open-tab.ts";
import { Icon } from "./icon.tsx";
import { Banner } from "./messages/banner.tsx";
import { buttonClass } from "./button.tsx";

/** Says during a call that another site's page is open in its own tab, or lets the user open it. Needs the texts `billing`. */
export function OtherTabNotice({ tab }: { readonly tab: OtherTab | null }) {
  const { t } = useTranslation("billing");
  if (tab === null) return null;
  return (
    <Banner kind="info">
      <p>{t(tab.isBlocked ? "otherTab.blocked" : "otherTab.open")}</p>
      <a className={buttonClass({ size: "sm" })} href={tab.url} target="_blank" rel="noreferrer">
        <span>{t("otherTab.link")}</span>
        <Icon of={IconExternalLink} />
      </a>
    </Banner>
  );
}
