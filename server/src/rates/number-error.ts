import type { NumberAlternative } from "@farline/contract/errors.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { formatInternational, type NormalizedNumber, type NumberChoice } from "@farline/domain/numbers/phone-number.ts";
import { AppError } from "../platform/http/app-error.ts";

type RefusedNumber = Extract<NormalizedNumber, { ok: false }>;

/** The request's fields of a number and of its country. */
interface NumberFields {
  readonly number: string;
  readonly country: string;
}

const LOOKUP_FIELDS: NumberFields = { number: "phone_number", country: "phone_number" };
const NO_NUMBER = "This is not a phone number. Check its digits.";

const TEXTS = {
  country_required: "Choose a country, or type the number with + and its country code.",
  empty: "Please enter a phone number",
  short_code: "Short numbers work only inside their country.",
  star_code: "Codes with * or # cannot be called.",
  impossible: NO_NUMBER,
  invalid: NO_NUMBER,
};

/** The error for a typed text that cannot be called, or that may mean several numbers. */
export function toNumberError(number: RefusedNumber, fields: NumberFields = LOOKUP_FIELDS): AppError {
  const message = sentenceFor(number);
  switch (number.problem) {
    case "emergency":
      return new AppError("emergency_number", message);
    case "country_required":
      return new AppError("country_required", message, { fields: { [fields.country]: [message] } });
    case "ambiguous": {
      const choices = number.choices.map(presentChoice);
      return new AppError("number_ambiguous", message, { fields: { [fields.number]: [message] }, choices });
    }
    default:
      return new AppError("number_invalid", message, { fields: { [fields.number]: [message] } });
  }
}

function sentenceFor(number: RefusedNumber): string {
  switch (number.problem) {
    case "emergency":
      return `This service cannot place emergency calls. Use your phone and dial ${number.emergencyNumber}.`;
    case "ambiguous":
      return `Do you mean ${number.choices.map(describe).join(" or ")}?`;
    case "unknown_code":
      return `No country has the code +${number.dialCode}.`;
    case "renumbered": {
      const { countryCode, year, digits } = number.renumbering;
      return `Numbers in ${nameOf(countryCode)} have had ${digits} digits since ${year}.`;
    }
    default:
      return TEXTS[number.problem];
  }
}

function describe({ e164, countryCode }: NumberChoice): string {
  return `${formatInternational(e164)} (${nameOf(countryCode)})`;
}

function presentChoice({ e164, countryCode }: NumberChoice): NumberAlternative {
  return { number: e164, country_code: countryCode, country_name: nameOf(countryCode) };
}

function nameOf(countryCode: string): string {
  return countryByCode(countryCode)?.name ?? countryCode;
}
