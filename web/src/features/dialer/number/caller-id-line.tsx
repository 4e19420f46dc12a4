import { IconUserScan } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { callerIdQuery } from "../../../service/queries.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import { Icon } from "../../../ui/icon.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./caller-id-line.module.css";

/** The number that the called person sees, with a link to choose another. */
export function CallerIdLine() {
  const { t } = useTranslation("dialer");
  const { data: callerId } = useQuery(callerIdQuery);
  // Reserves its height, so that the pad does not move when the number arrives.
  if (callerId === undefined) return <span className={styles.shownline} />;
  const number = writeNumber(callerId.shown);
  const sentence = t("callerId.shown", { number });
  return (
    <Link className={classNames(styles.shownline, "fig")} to="/account" aria-label={sentence}>
      <Icon of={IconUserScan} />
      <span className={styles.sentence}>{sentence}</span>
      <span className={styles.number}>{number}</span>
    </Link>
  );
}
