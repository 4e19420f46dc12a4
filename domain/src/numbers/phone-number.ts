import { findFormerPlan, type Renumbering } from "./former-formats.ts";
import { internationalDigits, type NumberChoice, type ReadNumber, readNumber } from "./number-plans.ts";

/** A number of a former plan, with what it is today; no choices where the rule is not known. */
interface RenumberedNumber {
  readonly ok: false;
  readonly problem: "renumbered";
  readonly renumbering: Renumbering;
  readonly choices: readonly NumberChoice[];
}

export type NormalizedNumber = ReadNumber | RenumberedNumber;

/** Why a text cannot be called. */
export type NumberProblem = Extract<NormalizedNumber, { ok: false }>["problem"];

/** What `readNumber` says of numbers that may be from a former plan. */
const MAYBE_FORMER: ReadonlySet<NumberProblem> = new Set(["impossible", "short_code", "ambiguous"]);

/**
 * Normalises typed, pasted or imported text to an E.164 number. Contacts, rate look-up, calls and imports use the same function, so that
 * the number shown is the number charged. The parameters are those of `readNumber`.
 *
 * A number that is in use today is that number, whatever it was before; only others may be from a former plan, which is never dialled.
 */
export function normalizeNumber(
  typed: string,
  selectedCountry: string | null,
  homeCountry: string | null = null,
): NormalizedNumber {
  const number = readNumber(typed, selectedCountry, homeCountry);
  if (number.ok && number.valid) return asRenumbered(number.e164.slice(1), true) ?? number;
  if (!number.ok && !MAYBE_FORMER.has(number.problem)) return number;
  for (const digits of internationalDigits(typed, selectedCountry)) {
    const former = asRenumbered(digits, false);
    if (former === null) continue;
    if (number.ok || number.problem !== "ambiguous") return former;
    return { ...number, choices: [...number.choices, ...former.choices] };
  }
  return number;
}

function asRenumbered(digits: string, isListed: boolean): RenumberedNumber | null {
  const found = findFormerPlan(digits, isListed);
  return found === null ? null : { ok: false, problem: "renumbered", ...found };
}
