import { dialerPath } from "@farline/contract/constants.ts";
import { IconPhoneFilled } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { usePhoneText } from "../../../text/phone-text.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { followCalls, phone, usePhone } from "../phone-session.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as noticesStyles from "../../../app/notices/notices.module.css";
import * as styles from "../dialer-parts.module.css";
import * as iconStyles from "../../../ui/icon.module.css";

/** On every page except the dialer: a running call that is not on this page, with buttons to rejoin or end it. */
export function OpenCallStrip() {
  const { t } = useTranslation("dialer");
  const write = usePhoneText();
  const navigate = useNavigate();
  const { rejoinable, elsewhere, movable } = usePhone();
  useEffect(followCalls, []);
  const call = rejoinable ?? elsewhere;
  if (call === null) return null;
  const where = rejoinable === null ? "elsewhere" : "rejoin";
  const take = () => {
    if (where === "rejoin") phone.rejoin();
    else phone.moveHere();
    void navigate(dialerPath);
  };
  return (
    <section
      className={classNames(noticesStyles.notice, styles.openstrip, "on-panel")}
      role="alert"
      aria-label={t(`openCall.${where}.title`)}
    >
      <div className={classNames(noticesStyles.inner, styles.stripInner, "page")}>
        <p className={styles.stripText}>
          <b className={styles.stripTitle}>{t(`openCall.${where}.title`)}</b>
          <span>{call.contact_name ?? write(call.destination_number)}</span>
        </p>
        <div className={styles.stripButtons}>
          {(rejoinable !== null || movable !== null) && (
            <Button pair="call" size="sm" onClick={take}>
              <Icon of={IconPhoneFilled} />
              <span>{t(`openCall.${where}.key`)}</span>
            </Button>
          )}
          <Button pair="end" size="sm" onClick={() => (rejoinable === null ? phone.hangUpElsewhere() : phone.declineRejoin())}>
            <Icon of={IconPhoneFilled} className={iconStyles.down} />
            <span>{t("call.hangUp")}</span>
          </Button>
        </div>
      </div>
    </section>
  );
}
