import { countryByCode } from "@farline/domain/countries/countries.ts";
import { significantPart } from "./edit-number.ts";

type FormatAsTyped = (typed: string, countryCode: string | null) => string;

/**
 * Groups a number as people of its country write it: "20 000 0142" as well as "020 000 0142". The numbering plans know
 * many numbers only with a leading zero or country code, so a bare number is grouped as if it followed its country code.
 * A text with letters stays as it is, so that the caller sees what is wrong with it.
 */
export function groupNumber(text: string, countryCode: string, formatAsTyped: FormatAsTyped): string {
  if (!/^[\d\s()+./-]*$/.test(text)) return text;
  const digits = significantPart(text);
  const national = formatAsTyped(digits, countryCode);
  const dialCode = countryByCode(countryCode)?.dialCode;
  if (national !== digits || dialCode === undefined || /^[+0]/.test(digits)) return national;
  const behindCode = formatAsTyped(`+${dialCode}${digits}`, countryCode)
    .slice(dialCode.length + 1)
    .trimStart();
  return significantPart(behindCode) === digits ? behindCode : national;
}
