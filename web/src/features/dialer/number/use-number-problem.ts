import { useTranslation } from "react-i18next";
import { significantPart } from "./edit-number.ts";
import { useDebounced } from "../../../browser/use-debounced.ts";
import type { NumberEntry } from "./use-number-entry.ts";

/** Show no error while the user is typing. */
const REST_MS = 700;

/** Kinds of numbers that are never dialled, however they go on. */
export const NEVER_DIALLED: ReadonlySet<string> = new Set(["emergency", "short_code", "star_code"]);

/**
 * What is wrong with the number, in a sentence; null when nothing is, or when it is too early to say so: numbers that are
 * never dialled and unknown ranges are answered when typing rests, everything else once calling was `refused` for it.
 */
export function useNumberProblem({ number, text }: NumberEntry, refused: boolean): string | null {
  const { t } = useTranslation("dialer");
  const rests = useDebounced(text, REST_MS) === text;
  if (number === null || !(rests || refused)) return null;
  if (number.ok) return number.valid ? null : t("problem.unknownRange");
  if (number.problem === "emergency") {
    // Where the caller is we do not know, so the number to dial is the one they had in mind.
    const typed = significantPart(text);
    return /^\d+$/.test(typed) ? t("problem.emergency", { number: typed }) : t("problem.emergencyUnknown");
  }
  return refused || NEVER_DIALLED.has(number.problem) ? t(`problem.${number.problem}`) : null;
}
