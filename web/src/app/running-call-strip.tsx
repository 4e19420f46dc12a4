import { IconPhoneFilled } from "@tabler/icons-react";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { formatCost, formatTimer } from "../text/format.ts";
import type { RunningCall } from "../session/running-call.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import "./notices.css";
import "./running-call-strip.css";

interface RunningCallStripProps {
  readonly call: RunningCall;
  /** Returns to the call. */
  readonly back: ReactElement;
}

/** This tab's running call on pages without the call view: callee, duration, cost, and Hang Up. */
export function RunningCallStrip({ call, back }: RunningCallStripProps) {
  const { t } = useTranslation();
  return (
    <section className="notice notice--call runstrip" aria-label={t("callStrip.text")}>
      <div className="notice__in page">
        <p className="runstrip__call">
          <Icon of={IconPhoneFilled} />
          <bdi className="runstrip__who">{call.who}</bdi>
          <span className="fig">{formatTimer(call.seconds)}</span>
          <span className="fig">{formatCost(call.cost)}</span>
        </p>
        <div className="runstrip__do">
          {back}
          <Button pair="end" size="sm" onClick={() => call.hangUp()}>
            <Icon of={IconPhoneFilled} className="icon--down" />
            <span>{t("callStrip.hangUp")}</span>
          </Button>
        </div>
      </div>
    </section>
  );
}
