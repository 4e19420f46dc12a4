import type { NumberChoice } from "@farline/domain/numbers/number-plans.ts";
import { useTranslation } from "react-i18next";
import { Suspense } from "react";
import { significantPart } from "./edit-number.ts";
import { useDebounced } from "../../../time/use-now.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import { PhoneError } from "../../../phone/phone-error.ts";
import { knownProblem, type PhoneState } from "../../../phone/phone-state.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { FailureAdvice } from "../dialer-parts.ts";
import { hasAdvice, phoneErrorDetail, phoneErrorText } from "../phone-session.ts";
import * as styles from "./dial-form.module.css";
import { leftToRight } from "../../../text/i18n.ts";

/** Show no error while the user is typing. */
const REST_MS = 700;

/** Numbers that are never dialled, whatever digits follow. */
export const NEVER_DIALLED: ReadonlySet<string> = new Set(["emergency", "short_code", "star_code", "unknown_code"]);

/** What is said of numbers of former plans. */
const FORMER: ReadonlySet<string> = new Set(["impossible", "short_code"]);

/** Candidates for an ambiguous number, once typing pauses or a call was `refused`; null if the number is clear. */
export function useNumberChoices({ number, text }: NumberEntry, refused: boolean): readonly NumberChoice[] | null {
  const rests = useDebounced(text, REST_MS) === text;
  if (number?.ok !== false || number.problem !== "ambiguous") return null;
  return rests || refused ? number.choices : null;
}

/**
 * What is wrong with the number, in a sentence; null if nothing is, or if it is too early to tell. Numbers that are never
 * dialled and unknown ranges are reported when typing pauses, everything else once a call was `refused`.
 */
export function useNumberProblem({ number, text }: NumberEntry, refused: boolean): string | null {
  const { t } = useTranslation("dialer");
  const rests = useDebounced(text, REST_MS) === text;
  if (number === null || !(rests || refused)) return null;
  if (number.ok) return number.valid ? null : t("problem.unknownRange");
  if (number.problem === "emergency") {
    // The caller's country is unknown, so repeat the number that they typed.
    const typed = significantPart(text);
    return /^\d+$/.test(typed) ? t("problem.emergency", { number: typed }) : t("problem.emergencyUnknown");
  }
  if (number.problem === "ambiguous") return null;
  if (number.problem === "unknown_code") return t("problem.unknown_code", { code: leftToRight(`+${number.dialCode}`) });
  return refused || NEVER_DIALLED.has(number.problem) ? t(`problem.${number.problem}`) : null;
}

/** Whether the number may be from a former plan, once typing pauses: it is complete, and not in use. */
export function useMayBeFormer({ number, text }: NumberEntry): boolean {
  const rests = useDebounced(text, REST_MS) === text;
  return rests && number !== null && (number.ok ? !number.valid : FORMER.has(number.problem));
}

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
