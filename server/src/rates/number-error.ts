import type { NumberAlternative } from "@farline/contract/errors.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { formatInternational, type NumberChoice } from "@farline/domain/numbers/number-plans.ts";
import type { NormalizedNumber } from "@farline/domain/numbers/phone-number.ts";
import type { MessageRef } from "@farline/texts/reason.ts";
import { AppError } from "../platform/app-error.ts";

type RefusedNumber = Extract<NormalizedNumber, { ok: false }>;

/** The request's field names for a number and its country. */
interface NumberFields {
  readonly number: string;
  readonly country: string;
}

const LOOKUP_FIELDS: NumberFields = { number: "phone_number", country: "phone_number" };
/** The error for a typed text that cannot be called or is ambiguous. */
export function toNumberError(number: RefusedNumber, fields: NumberFields = LOOKUP_FIELDS): AppError {
  switch (number.problem) {
    case "emergency":
      return new AppError("emergency_number", { params: { number: number.emergencyNumber } });
    case "country_required":
      return new AppError("country_required", { field: fields.country });
    case "ambiguous": {
      const params = { numbers: number.choices.map(describe).join(" / ") };
      return new AppError("number_ambiguous", { params, field: fields.number, choices: number.choices.map(presentChoice) });
    }
    case "renumbered": {
      const choices = number.choices.map(presentChoice);
      return new AppError("number_invalid", {
        ...textOf(number),
        field: fields.number,
        ...(choices.length === 0 ? {} : { choices }),
      });
    }
    default:
      return new AppError("number_invalid", { ...textOf(number), field: fields.number });
  }
}

function textOf(number: Exclude<RefusedNumber, { problem: "emergency" | "country_required" | "ambiguous" }>): MessageRef {
  switch (number.problem) {
    case "unknown_code":
      return { reason: "number_code_unknown", params: { code: number.dialCode } };
    case "renumbered": {
      const { countryCode, year } = number.renumbering;
      return { reason: "number_renumbered", params: { country: englishNameOf(countryCode), country_code: countryCode, year } };
    }
    case "empty":
      return { reason: "number_needed" };
    case "short_code":
      return { reason: "number_short" };
    case "star_code":
      return { reason: "number_with_star" };
    default:
      return { reason: "number_invalid" };
  }
}

function describe({ e164, countryCode }: NumberChoice): string {
  return `${formatInternational(e164)} (${englishNameOf(countryCode)})`;
}

function presentChoice({ e164, countryCode }: NumberChoice): NumberAlternative {
  return { number: e164, country_code: countryCode, country_name: englishNameOf(countryCode) };
}
