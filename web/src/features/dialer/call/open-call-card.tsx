import type { Call } from "@farline/contract/calls.ts";
import { IconPhoneFilled } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { isFreeCall } from "@farline/domain/calls/charge.ts";
import { formatCost, formatCount, formatTimer } from "../../../text/format.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { phone } from "../phone-session.ts";
import { classNames } from "../../../ui/class-names.ts";
import { useCallSeconds, useNow } from "../../../time/use-now.ts";
import { costSoFar } from "./call-facts.ts";
import * as styles from "./call-view.module.css";
import * as iconStyles from "../../../ui/icon.module.css";

interface OpenCallCardProps {
  readonly call: Call;
  /** `rejoin`: this tab was in the call before it was reloaded. `elsewhere`: another tab or device is in it. */
  readonly where: "rejoin" | "elsewhere";
  /** Whether a call elsewhere can be moved to this page. */
  readonly movable: boolean;
  /** Until when the provider keeps a call of this tab (`serviceNow`). */
  readonly keptUntil: number;
}

/** A call of this customer that is not on this page. It replaces the dial pad, so no second call can start. */
export function OpenCallCard({ call, where, movable, keptUntil }: OpenCallCardProps) {
  const { t } = useTranslation("dialer");
  const write = usePhoneText();
  const seconds = useCallSeconds(call);
  const left = Math.max(0, Math.ceil((keptUntil - useNow(1000, where === "rejoin")) / 1000));
  const { cost } = costSoFar({ record: call, elapsedSeconds: seconds ?? 0 });
  return (
    <section
      className={classNames(styles.opencall, "on-panel")}
      data-open-call=""
      role="alert"
      aria-label={t(`openCall.${where}.title`)}
    >
      <p className={styles.title}>{t(`openCall.${where}.title`)}</p>
      <div>
        <p className={styles.who}>{call.contact_name ?? write(call.destination_number)}</p>
        <p className={styles.num}>
          <Flag code={call.destination_country} />
          {call.contact_name !== null && <span>{write(call.destination_number)}</span>}
          {seconds !== null && (
            <span className="fig" aria-hidden="true">
              {formatTimer(seconds)}
            </span>
          )}
        </p>
      </div>
      {/* Read out once, not every second. */}
      <div aria-live="off">
        <p>{t(`openCall.${where}.text`, { seconds: formatCount(left) })}</p>
        {seconds !== null && (
          <p className="muted">{t("openCall.cost", { cost: isFreeCall(call, cost) ? t("rate.freeCall") : formatCost(cost) })}</p>
        )}
      </div>
      <div className={styles.buttons}>
        {(where === "rejoin" || movable) && (
          <Button pair="call" size="lg" wide onClick={() => (where === "rejoin" ? phone.rejoin() : phone.moveHere())}>
            <Icon of={IconPhoneFilled} />
            <span>{t(`openCall.${where}.key`)}</span>
          </Button>
        )}
        <Button pair="end" size="lg" wide onClick={() => (where === "rejoin" ? phone.declineRejoin() : phone.hangUpElsewhere())}>
          <Icon of={IconPhoneFilled} className={iconStyles.down} />
          <span>{t("call.hangUp")}</span>
        </Button>
      </div>
    </section>
  );
}
