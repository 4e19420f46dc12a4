import type { NumberChoice } from "@farline/domain/numbers/number-plans.ts";
import { useTranslation } from "react-i18next";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { Suspense } from "react";
import { significantPart } from "./edit-number.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import { PhoneError } from "../../../phone/phone-error.ts";
import { knownProblem, type PhoneState } from "../../../phone/phone-state.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { FailureAdvice } from "../dialer-parts.ts";
import { hasAdvice, phoneErrorDetail, phoneErrorText } from "../phone-session.ts";
import * as styles from "./dial-form.module.css";
import { countryName, leftToRight } from "../../../text/i18n.ts";

/** Numbers that are never dialled, whatever digits follow. */
export const NEVER_DIALLED: ReadonlySet<string> = new Set(["emergency", "short_code", "star_code", "unknown_code", "renumbered"]);

/** What an ambiguous number or one of a former plan may be, once typing pauses or a call was `refused`; null if the number is clear. */
export function useNumberChoices({ number, rests }: NumberEntry, refused: boolean): readonly NumberChoice[] | null {
  const choices = number !== null && "choices" in number ? number.choices : [];
  return choices.length > 0 && (rests || refused) ? choices : null;
}

/** That a number is from a former plan; null for others. */
export function useFormerText({ number }: NumberEntry): string | null {
  const { t } = useTranslation("dialer");
  if (number?.ok !== false || number.problem !== "renumbered") return null;
  const { countryCode, year } = number.renumbering;
  const country = countryName(countryCode, countryByCode(countryCode)?.name ?? countryCode);
  return t("problem.renumbered", { country, year: String(year) });
}

/**
 * What is wrong with the number, in a sentence; null if nothing is, or if it is too early to tell. Numbers that are never
 * dialled and unknown ranges are reported when typing pauses, everything else once a call was `refused`.
 */
export function useNumberProblem(entry: NumberEntry, refused: boolean): string | null {
  const { t } = useTranslation("dialer");
  const former = useFormerText(entry);
  const { number, text, rests } = entry;
  if (number === null || !(rests || refused)) return null;
  if (number.ok) return number.valid ? null : t("problem.unknownRange");
  if (number.problem === "emergency") {
    // The caller's country is unknown, so repeat the number that they typed.
    const typed = significantPart(text);
    return /^\d+$/.test(typed) ? t("problem.emergency", { number: typed }) : t("problem.emergencyUnknown");
  }
  if (number.problem === "ambiguous") return null;
  if (number.problem === "unknown_code") return t("problem.unknown_code", { code: leftToRight(`+${number.dialCode}`) });
  if (number.problem === "renumbered") return former;
  return refused || NEVER_DIALLED.has(number.problem) ? t(`problem.${number.problem}`) : null;
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
