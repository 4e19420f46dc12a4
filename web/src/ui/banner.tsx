import { IconAlertCircle, IconAlertTriangle, IconInfoCircle, IconWallet } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import "./banner.css";

const icons = { error: IconAlertCircle, warn: IconAlertTriangle, info: IconInfoCircle, credit: IconWallet } as const;

interface BannerProps {
  readonly kind: keyof typeof icons;
  readonly children: ReactNode;
}

/** A message that stays while its cause lasts. An error is announced at once. */
export function Banner({ kind, children }: BannerProps) {
  return (
    <div className={`banner banner--${kind}`} role={kind === "error" ? "alert" : "status"}>
      <Icon of={icons[kind]} />
      <div className="banner__text">{children}</div>
    </div>
  );
}
