import { IconPhoneFilled } from "@tabler/icons-react";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { formatCost, formatTimer } from "../../text/format.ts";
import type { RunningCall } from "../../session/running-call.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as noticesStyles from "./notices.module.css";
import * as styles from "./running-call-strip.module.css";
import * as iconStyles from "../../ui/icon.module.css";

interface RunningCallStripProps {
  readonly call: RunningCall;
  /** Returns to the call. */
  readonly back: ReactElement;
}

/** This tab's running call on pages without the call view: callee, duration, cost, and Hang Up. */
export function RunningCallStrip({ call, back }: RunningCallStripProps) {
  const { t } = useTranslation();
  return (
    <section className={classNames(noticesStyles.notice, noticesStyles.call, styles.runstrip)} aria-label={t("callStrip.text")}>
      <div className={classNames(noticesStyles.inner, styles.inner, "page")}>
        <p className={styles.call}>
          <Icon of={IconPhoneFilled} />
          <bdi className={styles.who}>{call.who}</bdi>
          <span className="fig">{formatTimer(call.seconds)}</span>
          <span className="fig">{formatCost(call.cost)}</span>
        </p>
        <div className={styles.actions}>
          {back}
          <Button pair="end" size="sm" onClick={() => call.hangUp()}>
            <Icon of={IconPhoneFilled} className={iconStyles.down} />
            <span>{t("callStrip.hangUp")}</span>
          </Button>
        </div>
      </div>
    </section>
  );
}
