import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { PhoneError } from "../../../phone/phone-error.ts";
import { knownProblem, type PhoneState } from "../../../phone/phone-state.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { FailureAdvice } from "../dialer-parts.ts";
import { hasAdvice, phoneErrorDetail, phoneErrorText } from "../phone-error-text.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import * as styles from "./failure-panel.module.css";

/** Why the last attempt to call failed or, before one, why the next would; null if nothing is known to be wrong. */
export function callFailure(state: PhoneState): PhoneState["error"] {
  const problem = knownProblem(state);
  return state.error ?? (problem === null ? null : new PhoneError(problem));
}

interface FailurePanelProps {
  readonly error: PhoneError;
  /** The number to take along to another browser. */
  readonly entry?: NumberEntry;
}

/** Why the last attempt to call failed, and what to do. */
export function FailurePanel({ error, entry }: FailurePanelProps) {
  const { t } = useTranslation("dialer");
  const lacksCredit = error.serviceCode === "insufficient_credit" || error.serviceCode === "no_credit";
  const detail = phoneErrorDetail(error);
  const text = <p>{phoneErrorText(error)}</p>;
  return (
    <Banner kind="error">
      {hasAdvice(error.code) ? (
        <Suspense fallback={text}>
          <FailureAdvice error={error} entry={entry} />
        </Suspense>
      ) : (
        <div className={lacksCredit ? styles.credit : undefined}>
          {text}
          {lacksCredit && (
            <ButtonLink pair="credit" size="sm" to="/topup">
              {t("error.topUp")}
            </ButtonLink>
          )}
        </div>
      )}
      {detail !== null && <p className="muted small">{detail}</p>}
    </Banner>
  );
}
