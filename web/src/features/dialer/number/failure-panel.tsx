import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { PhoneError } from "../../../phone/phone-error.ts";
import { microphoneProblem, type PhoneState } from "../../../phone/phone-state.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { MicrophoneHelp } from "../dialer-parts.ts";
import { phoneErrorDetail, phoneErrorText } from "../phone-error-text.ts";
import * as styles from "./failure-panel.module.css";

/** Why the last attempt to call failed or, before one, why the microphone would make it fail; null if nothing is known to be wrong. */
export function callFailure(state: PhoneState): PhoneState["error"] {
  const problem = microphoneProblem(state);
  return state.error ?? (problem === null ? null : new PhoneError(problem));
}

/** Why the last attempt to call failed, and what to do. */
export function FailurePanel({ error }: { readonly error: NonNullable<PhoneState["error"]> }) {
  const { t } = useTranslation("dialer");
  const lacksCredit = error.serviceCode === "insufficient_credit" || error.serviceCode === "no_credit";
  const detail = phoneErrorDetail(error);
  return (
    <Banner kind="error">
      <div className={lacksCredit ? styles.credit : undefined}>
        <p>{phoneErrorText(error)}</p>
        {lacksCredit && (
          <ButtonLink pair="credit" size="sm" to="/topup">
            {t("error.topUp")}
          </ButtonLink>
        )}
      </div>
      {detail !== null && <p className="muted small">{detail}</p>}
      {error.code === "microphone_denied" && (
        <Suspense fallback={null}>
          <MicrophoneHelp />
        </Suspense>
      )}
    </Banner>
  );
}
