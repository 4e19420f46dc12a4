import { IconArrowUpRight, IconBell, IconCheck, IconMinus, IconPhoneCheck, IconPhoneFilled, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { classNames } from "./class-names.ts";
import { Icon } from "./icon.tsx";
import * as styles from "./status-badge.module.css";

const icons = {
  completed: IconCheck,
  failed: IconX,
  cancelled: IconMinus,
  busy: IconMinus,
  no_answer: IconMinus,
  declined: IconMinus,
  unreachable: IconMinus,
  unconnected: IconMinus,
  lost: IconMinus,
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

/** All others are neutral. */
const tones: Readonly<Partial<Record<KnownStatus, string>>> = {
  completed: styles.completed,
  failed: styles.failed,
  initiated: styles.initiated,
  ringing: styles.ringing,
  answered: styles.answered,
  "in-progress": styles.progress,
  pending: styles.ringing,
};

function toneOf(status: string): string {
  return (isKnown(status) ? tones[status] : undefined) ?? styles.other;
}

interface BadgeProps {
  /** The status whose colours it has; neutral without one. */
  readonly like?: KnownStatus;
  /** Not in capitals. */
  readonly plain?: boolean;
  readonly children: ReactNode;
}

/** A state in a word, coloured like a call's or payment's status. */
export function Badge({ like = "cancelled", plain = false, children }: BadgeProps) {
  return <span className={classNames(styles.badge, toneOf(like), plain && styles.plain)}>{children}</span>;
}

/** A call's or payment's status in capitals, with its icon. An unknown status shows the service's word. */
export function StatusBadge({ status, quiet = false }: { readonly status: string; readonly quiet?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={classNames(styles.badge, toneOf(status), quiet && styles.quiet)}>
      <Icon of={isKnown(status) ? icons[status] : IconMinus} />
      <span>{isKnown(status) ? t(`status.${status}`) : status}</span>
    </span>
  );
}

/** The tile at the start of a call's row. Decorative: the badge in the row has the text. */
export function StatusTile({ status }: { readonly status: string }) {
  return (
    <span className={classNames(styles.tile, toneOf(status))}>
      <Icon of={isKnown(status) ? icons[status] : IconMinus} />
    </span>
  );
}
