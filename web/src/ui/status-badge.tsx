import { IconArrowUpRight, IconBell, IconCheck, IconMinus, IconPhoneCheck, IconPhoneFilled, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";
import "./status-badge.css";

const icons = {
  completed: IconCheck,
  failed: IconX,
  cancelled: IconMinus,
  initiated: IconArrowUpRight,
  ringing: IconBell,
  answered: IconPhoneCheck,
  "in-progress": IconPhoneFilled,
  pending: IconBell,
} as const;

type KnownStatus = keyof typeof icons;

function isKnown(status: string): status is KnownStatus {
  return status in icons;
}

/** The style of a status; unknown statuses are neutral. */
function styleOf(status: string): string {
  if (status === "pending") return "ringing";
  return isKnown(status) && status !== "cancelled" ? status : "other";
}

/** A call's or payment's status in capitals, with its icon. An unknown status shows the service's word. */
export function StatusBadge({ status, quiet = false }: { readonly status: string; readonly quiet?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={`badge badge--${styleOf(status)}${quiet ? " badge--quiet" : ""}`}>
      <Icon of={isKnown(status) ? icons[status] : IconMinus} />
      <span>{isKnown(status) ? t(`status.${status}`) : status}</span>
    </span>
  );
}

/** The tile at the start of a call's row. Decorative: the badge in the row has the text. */
export function StatusTile({ status }: { readonly status: string }) {
  return (
    <span className={`sicon sicon--${styleOf(status)}`}>
      <Icon of={isKnown(status) ? icons[status] : IconMinus} />
    </span>
  );
}
