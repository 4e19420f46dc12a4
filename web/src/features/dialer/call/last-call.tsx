import type { Call, EndReason } from "@farline/contract/calls.ts";
import { IconClock, IconPhone, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { endReasonKey } from "../../../text/call-outcome.ts";
import { useMinute } from "../../../time/use-now.ts";
import { eveningThere } from "./evening-there.ts";
import { formatCost, formatDuration } from "../../../text/format.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { isFinal } from "../../../phone/call/call-service.ts";
import type { PhoneCall } from "../../../phone/phone-state.ts";
import { classNames } from "../../../ui/class-names.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { SaveContactLink } from "../../../ui/contact-links.tsx";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { phone } from "../phone-session.ts";
import * as cardStyles from "../../../ui/card.module.css";
import * as styles from "../dialer-parts.module.css";

/** The phone rang, and nobody talked. */
const NOT_REACHED: ReadonlySet<EndReason> = new Set(["no_answer", "rejected", "cancelled"]);

interface LastCallProps {
  readonly call: PhoneCall;
  readonly onAgain: (call: Call) => void;
}

/** After a call: what happened, what it cost, and what to do next. */
export default function LastCall({ call, onAgain }: LastCallProps) {
  const { t } = useTranslation(["dialer-parts", "dialer", "common"]);
  const write = usePhoneText();
  const { record, name } = call;
  const who = name ?? write(call.number);
  return (
    <section className={classNames(cardStyles.card, styles.last)}>
      <div className={styles.lastHead}>
        {call.countryCode !== null && <Flag code={call.countryCode} />}
        <h2 className={styles.who}>
          <bdi>{who}</bdi>
        </h2>
        <Button iconOnly className={styles.close} aria-label={t("summary.close")} onClick={() => phone.dismissLastCall()}>
          <Icon of={IconX} />
        </Button>
      </div>
      <Outcome call={call} />
      {record !== null && isFinal(record) && (
        <>
          {record.end_reason !== null && NOT_REACHED.has(record.end_reason) && (
            <TryLater countryCode={record.destination_country} />
          )}
          <div className={styles.lastActions}>
            <Button pair="call" size="sm" onClick={() => onAgain({ ...record, contact_name: name })}>
              <Icon of={IconPhone} />
              <span>{t("common:contact.callAgain")}</span>
            </Button>
            {call.endReason === "credit_used_up" && (
              <ButtonLink pair="credit" size="sm" to="/topup">
                {t("dialer:error.topUp")}
              </ButtonLink>
            )}
            <SaveContactLink call={record} look="text" />
          </div>
        </>
      )}
    </section>
  );
}

/** Why the call ended, and its charge once known. */
function Outcome({ call: { record, endReason } }: { readonly call: PhoneCall }) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  if (record === null || !isFinal(record)) return <p>{t("summary.settling")}</p>;
  const isAnswered = record.answered_at !== null;
  // Cancelled at the moment of the answer: it still counts as a call.
  const talked = endReason === null || endReason === "cancelled" ? "hangup" : endReason;
  const reason = isAnswered ? endReasonKey(talked, record) : (`endReason.${endReason ?? "network_failure"}` as const);
  const charge = isAnswered
    ? t("summary.charge", { duration: formatDuration(record.duration_seconds), cost: formatCost(record.cost) })
    : t("summary.free");
  return (
    <p>
      <span>{t(`dialer:${reason}`)}</span>{" "}
      <b className="fig" data-testid="last-charge">
        {charge}
      </b>{" "}
      <Link className="link" to={`/call/${record.id}`}>
        {t("summary.details")}
      </Link>
    </p>
  );
}

/** When to try again somebody who did not answer: in the evening there. */
function TryLater({ countryCode }: { readonly countryCode: string }) {
  const { t } = useTranslation("dialer-parts");
  const evening = eveningThere(countryCode, useMinute());
  if (evening === null) return null;
  return (
    <p className={styles.later}>
      <Icon of={IconClock} />
      <span>{t("tryLater", evening)}</span>
    </p>
  );
}
