import { IconClock, IconMoon } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useShell } from "../../../browser/shell.ts";
import { useMinute } from "../../../time/use-now.ts";
import { Icon } from "../../../ui/icon.tsx";
import { timeThere } from "../../../text/time-there.ts";
import type { NumberEntry } from "../number/use-number-entry.ts";
import * as styles from "./time-there-line.module.css";

/** The local time at the destination. At night, once a number is entered, the sentence says so. */
export function TimeThere({ entry }: { readonly entry: NumberEntry }) {
  const { t, i18n } = useTranslation("dialer");
  const there = timeThere(entry.destination ?? "", useMinute());
  // The build does not know when its page is read.
  if (useShell() || there === null) return null;
  const { time } = there;
  const night = there.night && entry.text !== "";
  const sentence = (): string => {
    if (!there.capital) return night ? t("there.night", { time }) : t("there.time", { time });
    const key = `dialer:there.capitals.${entry.destination}`;
    if (!i18n.exists(key)) return night ? t("there.nightInCapital", { time }) : t("there.capital", { time });
    const city = t(key as "there.capitals.US");
    return night ? t("there.nightInCity", { time, city }) : t("there.city", { time, city });
  };
  return (
    <p className={styles.clockline} data-night={night || undefined}>
      <Icon of={night ? IconMoon : IconClock} />
      <span className="fig">{sentence()}</span>
    </p>
  );
}
