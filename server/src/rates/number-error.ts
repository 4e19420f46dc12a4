import type { NumberProblem } from "@farline/domain/numbers/phone-number.ts";
import { AppError } from "../platform/http/app-error.ts";

const LOOKUP_FIELD = "phone_number";
const NO_NUMBER = "This is not a phone number. Check its digits.";

const TEXTS: Record<Exclude<NumberProblem, "emergency">, string> = {
  country_required: "Choose a country, or type the number with + and its country code.",
  empty: "Please enter a phone number",
  short_code: "Short numbers work only inside their country.",
  star_code: "Codes with * or # cannot be called.",
  plus_missing: "Does this number begin with a country code? Then put a + in front. If not, write it as people there do.",
  impossible: NO_NUMBER,
  invalid: NO_NUMBER,
};

/**
 * The error for a typed text that cannot be called.
 * @param field the request's field that is wrong
 */
export function toNumberError(problem: NumberProblem, emergencyNumber: string | undefined, field = LOOKUP_FIELD): AppError {
  if (problem === "emergency") {
    const advice = `Use your phone and dial ${emergencyNumber ?? "112"}.`;
    return new AppError("emergency_number", `This service cannot place emergency calls. ${advice}`);
  }
  const message = TEXTS[problem];
  const code = problem === "country_required" ? "country_required" : "number_invalid";
  return new AppError(code, message, { fields: { [field]: [message] } });
}
