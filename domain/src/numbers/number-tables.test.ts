import { countries } from "../countries/countries.ts";
import {
  AsYouType as LargeAsYouType,
  getExampleNumber,
  parsePhoneNumberFromString as large,
  type CountryCode,
} from "libphonenumber-js/max";
import { AsYouType as SmallAsYouType, parsePhoneNumberFromString as small } from "libphonenumber-js/min";
import examples from "libphonenumber-js/mobile/examples";
import * as fc from "fast-check";
import { expect, it } from "vitest";

const codes = countries.filter((country) => country.selectable).map((country) => country.iso2 as CountryCode);

/** The properties of a number that the dialer uses. */
function read(parse: typeof large, typed: string, country: CountryCode) {
  const number = parse(typed, country);
  return number === undefined
    ? null
    : {
        e164: number.number,
        country: number.country ?? null,
        possible: number.isPossible(),
        international: number.formatInternational(),
      };
}

it("the browser's smaller number tables parse every country's mobile numbers like the service's", () => {
  for (const country of codes) {
    const example = getExampleNumber(country, examples);
    const spellings = example === undefined ? [] : [example.number, example.formatNational(), example.nationalNumber];
    for (const typed of spellings)
      expect(read(small, typed, country), `${country} ${typed}`).toEqual(read(large, typed, country));
  }
});

it("the browser's and the service's number tables parse and group any digits alike", () => {
  fc.assert(
    fc.property(fc.constantFrom(...codes), fc.stringMatching(/^\+?[0-9]{3,15}$/), (country, typed) => {
      const [ours, theirs] = [read(small, typed, country), read(large, typed, country)];
      expect(ours?.e164).toBe(theirs?.e164);
      expect(ours?.possible).toBe(theirs?.possible);
      expect(new SmallAsYouType(country).input(typed)).toBe(new LargeAsYouType(country).input(typed));
    }),
    { numRuns: 3000 },
  );
});
