import type { Call } from "@farline/contract/calls.ts";
import { IconChevronRight, IconPhone, IconX } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { endReasonKey } from "../../../text/call-outcome.ts";
import { formatCost, formatDuration } from "../../../text/format.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { PhoneError } from "../../../phone/phone-error.ts";
import { microphoneProblem, type PhoneCall, type PhoneState } from "../../../phone/phone-state.ts";
import { isFinal } from "../../../phone/call/call-service.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { SaveContactLink } from "../../../ui/contact-links.tsx";
import { MicrophoneHelp } from "../dialer-parts.ts";
import { missingCreditText, phoneErrorDetail, phoneErrorText } from "../phone-error-text.ts";
import { phone } from "../phone-session.ts";
import * as styles from "./dial-notices.module.css";
import * as contactLinksStyles from "../../../ui/contact-links.module.css";

/** How the last call ended or, where there is no dial form to say it, why calls fail. */
export function DialNotices({ state, onAgain }: { readonly state: PhoneState; readonly onAgain: (call: Call) => void }) {
  const failure = callFailure(state);
  if (failure !== null && (state.rejoinable ?? state.elsewhere) !== null) return <FailurePanel error={failure} />;
  return (
    <div role="status">
      {state.lastCall !== null && state.lastCall.callId !== null && <LastCall call={state.lastCall} onAgain={onAgain} />}
    </div>
  );
}

/** Why the last attempt to call failed or, before one, why the microphone would make it fail; null if nothing is known to be wrong. */
export function callFailure(state: PhoneState): PhoneState["error"] {
  const problem = microphoneProblem(state);
  return state.error ?? (problem === null ? null : new PhoneError(problem));
}

/** Why the last attempt to call failed, and what to do. */
export function FailurePanel({ error }: { readonly error: NonNullable<PhoneState["error"]> }) {
  const { t } = useTranslation("dialer");
  const credit = missingCreditText(error);
  const detail = phoneErrorDetail(error);
  return (
    <Banner kind="error">
      <p>{phoneErrorText(error)}</p>
      {detail !== null && <p className="muted small">{detail}</p>}
      {credit !== null && <p>{credit}</p>}
      {error.code === "microphone_denied" && (
        <Suspense fallback={null}>
          <MicrophoneHelp />
        </Suspense>
      )}
      {(credit !== null || error.serviceCode === "insufficient_credit" || error.serviceCode === "no_credit") && (
        <ButtonLink pair="credit" size="sm" to="/topup" className={styles.topup}>
          {t("error.topUp")}
        </ButtonLink>
      )}
    </Banner>
  );
}

/** Summary of the last call: callee, duration and cost. */
function LastCall({ call, onAgain }: { readonly call: PhoneCall; readonly onAgain: (call: Call) => void }) {
  const { t } = useTranslation(["dialer", "common"]);
  const write = usePhoneText();
  const { record } = call;
  const who = call.name ?? write(call.number);
  return (
    <div className={styles.lastCall}>
      <span className={styles.text}>
        <b className={styles.who}>{who}</b>
        <Summary call={call} />
        {call.callId !== null && (
          <Link className={classNames(styles.details, "link small")} to={`/call/${call.callId}`}>
            <span>{t("summary.details")}</span>
            <Icon of={IconChevronRight} />
          </Link>
        )}
        {call.endReason === "credit_used_up" && (
          <ButtonLink pair="credit" size="sm" to="/topup" className={styles.topup}>
            {t("error.topUp")}
          </ButtonLink>
        )}
      </span>
      {record !== null && isFinal(record) && (
        <span className={styles.lastCallActions}>
          <Button
            iconOnly
            className={classNames(contactLinksStyles.contactlink, contactLinksStyles.call)}
            aria-label={t("common:contact.callAgainName", { name: who })}
            onClick={() => onAgain({ ...record, contact_name: call.name })}
          >
            <Icon of={IconPhone} />
          </Button>
          <SaveContactLink call={record} look="icon" />
        </span>
      )}
      <Button iconOnly className={styles.close} aria-label={t("error.close")} onClick={() => phone.dismissLastCall()}>
        <Icon of={IconX} />
      </Button>
    </div>
  );
}

/** Why the call ended, and its charge once known. Narrow screens leave out what the rest of the line says. */
function Summary({ call: { record, endReason } }: { readonly call: PhoneCall }) {
  const { t } = useTranslation("dialer");
  if (record === null || !isFinal(record)) return <span className={styles.why}>{t("summary.settling")}</span>;
  const isAnswered = record.answered_at !== null;
  // Cancelled at the moment of the answer: it still counts as a call.
  const talked = endReason === null || endReason === "cancelled" ? "hangup" : endReason;
  const reason = isAnswered ? endReasonKey(talked, record) : (`endReason.${endReason ?? "network_failure"}` as const);
  const charge = isAnswered
    ? t("summary.charge", { duration: formatDuration(record.duration_seconds), cost: formatCost(record.cost) })
    : t("summary.free");
  const isPlain = isAnswered && talked === "hangup";
  return (
    <span className={classNames(styles.how, isPlain && styles.howPlain)}>
      <span className={styles.why}>{t(reason)}</span>{" "}
      <span className={styles.charge} data-testid="last-charge">
        {charge}
      </span>
    </span>
  );
}
