import { IconAlertCircle, IconAlertTriangle, IconInfoCircle, IconWallet } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Icon } from "../icon.tsx";
import { classNames } from "../class-names.ts";
import * as styles from "./banner.module.css";

const icons = { error: IconAlertCircle, warn: IconAlertTriangle, info: IconInfoCircle, credit: IconWallet } as const;

interface BannerProps {
  readonly kind: keyof typeof icons;
  readonly children: ReactNode;
}

/** A message that stays while its cause lasts. An error is announced at once. */
export function Banner({ kind, children }: BannerProps) {
  return (
    <div className={classNames(styles.banner, styles[kind])} role={kind === "error" ? "alert" : "status"}>
      <Icon of={icons[kind]} />
      <div className={styles.text}>{children}</div>
    </div>
  );
}
