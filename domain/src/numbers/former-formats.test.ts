import { getCountryCallingCode, parsePhoneNumberFromString, type CountryCode } from "libphonenumber-js/max";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FORMER_PLANS, readRule } from "./former-formats.ts";
import { normalizeNumber, type NormalizedNumber } from "./phone-number.ts";

/** How many old numbers of each rule are tried. */
const SAMPLES = process.env["FULL"] === "1" ? 150 : 10;

function currentForm(number: NormalizedNumber): readonly string[] {
  return !number.ok && number.problem === "renumbered" ? number.choices.map(({ e164 }) => e164) : [];
}

const rules = FORMER_PLANS.flatMap(({ country, year, formerDialCode, isStillListed, rules: own }) =>
  own.map((rule) => ({
    country: country as CountryCode,
    year,
    before: formerDialCode ?? getCountryCallingCode(country as CountryCode),
    isStillListed: isStillListed === true,
    ...readRule(rule),
  })),
);

function samplesOf(former: RegExp): readonly string[] {
  return fc.sample(fc.stringMatching(former), { numRuns: SAMPLES, seed: 46 });
}

const isInUse = (digits: string) => parsePhoneNumberFromString(`+${digits}`)?.isValid() === true;

describe("a former plan", () => {
  test.each([
    ["+84 166 312 4567", null, 2018, "+84363124567"],
    ["0166 312 4567", "VN", 2018, "+84363124567"],
    ["+84 4 3825 1234", null, 2017, "+842438251234"],
    ["+57 1 345 6789", null, 2021, "+576013456789"],
    ["031 345 6789", "CO", 2021, "+576013456789"],
    ["02 812 3456", "PH", 2019, "+63288123456"],
    ["+63 2 711 2345", "US", 2019, "+63287112345"],
    ["+55 11 8765-4321", null, 2016, "+5511987654321"],
    ["+229 90 01 12 34", null, 2024, "+2290190011234"],
    ["90 01 12 34", "BJ", 2024, "+2290190011234"],
    ["07 12 34 56", "CI", 2021, "+2250707123456"],
    ["+225 20 31 45 67", null, 2021, "+2252720314567"],
    ["+241 01 44 12 34", null, 2019, "+24111441234"],
    ["06 12 34 56", "GA", 2019, "+24166123456"],
    ["+593 9 912 3456", null, 2012, "+593999123456"],
    ["010 123 4567", "EG", 2011, "+201001234567"],
    ["+20 16 123 4567", null, 2011, "+201061234567"],
    ["+966 1 234 5678", null, 2013, "+966112345678"],
    ["+237 99 12 34 56", null, 2014, "+237699123456"],
    ["+56 2 345 6789", null, 2013, "+56223456789"],
    ["+974 551 2345", null, 2010, "+97455512345"],
    ["+965 245 1234", null, 2008, "+96522451234"],
    ["+212 61 23 45 67", null, 2009, "+212661234567"],
    ["+213 61 23 45 67", null, 2008, "+213661234567"],
    ["+7 095 123 45 67", null, 2006, "+74951234567"],
    ["+7 3272 50 12 34", null, 2007, "+77272501234"],
    ["+599 542 1234", null, 2011, "+17215421234"],
    ["+995 77 12 34 56", null, 2011, "+995577123456"],
    ["2345", "SH", 2013, "+29022345"],
  ])("is known: %s with %s chosen changed in %i to %s", (typed, country, year, e164) => {
    const number = normalizeNumber(typed, country);
    expect(number).toMatchObject({ ok: false, problem: "renumbered", renumbering: { year } });
    expect(currentForm(number)).toEqual([e164]);
  });

  test.each([
    ["+224 60 12 34 56", "GN"],
    ["+502 234 5678", "GT"],
    ["+972 52 123 456", "IL"],
  ])("is known without a rule for today's number: %s", (typed, countryCode) => {
    expect(normalizeNumber(typed, null)).toMatchObject({ problem: "renumbered", renumbering: { countryCode }, choices: [] });
  });

  test("does not touch numbers that are in use today", () => {
    for (const [typed, e164] of [
      ["+226 50 12 34 56", "+22650123456"],
      ["+84 82 123 4567", "+84821234567"],
      ["+55 11 7912-3456", "+551179123456"],
      ["+66 2 123 4567", "+6621234567"],
    ] as const)
      expect(normalizeNumber(typed, null)).toMatchObject({ ok: true, e164 });
  });

  test("has a source, and rules that make numbers of its own country", () => {
    expect(FORMER_PLANS.filter(({ year, source }) => year < 2000 || source === "")).toEqual([]);
    const made = rules.flatMap(({ country, before, former, today }) =>
      today === null ? [] : [{ country, former, count: samplesOf(former).filter((one) => makes(before, one, country)).length }],
    );
    expect(made.filter(({ count }) => count === 0)).toEqual([]);
  });
});

/** Whether the former number becomes one of the country. */
function makes(before: string, national: string, country: CountryCode): boolean {
  const number = normalizeNumber(`+${before}${national}`, null);
  if (number.ok) return number.valid;
  return currentForm(number).some((e164) => {
    const now = parsePhoneNumberFromString(e164);
    return now?.isValid() === true && now.countryCallingCode === getCountryCallingCode(country);
  });
}

const WRITINGS: readonly ((
  before: string,
  national: string,
  country: CountryCode,
) => readonly [text: string, country: string | null])[] = [
  (before, national) => [`+${before}${national}`, null],
  (before, national) => [`+${before} ${national}`, "US"],
  (before, national) => [`+${before} (0) ${national}`, null],
  (before, national) => [`00${before}${national}`, "DE"],
  (before, national) => [`011 ${before} ${national}`, "US"],
  (before, national) => [`+00 ${before} ${national}`, null],
  (before, national) => [`Tel.: +${before} ${national} (Anna)`, null],
  (before, national) => [`+${before} ${national} ext. 12`, null],
  (before, national) => [`https://wa.me/${before}${national}`, null],
  (_, national, country) => [national, country],
  (_, national, country) => [national.replace(/^(?=[1-9])/, "0"), country],
];

test("no number of a former plan is called as somebody else's, however it is written", () => {
  let tried = 0;
  const strangers = rules.flatMap(({ country, before, former, isStillListed }) =>
    samplesOf(former).flatMap((national) => {
      if (!isStillListed && isInUse(before + national)) return [];
      const today = currentForm(normalizeNumber(`+${before}${national}`, null));
      return WRITINGS.flatMap((write) => {
        tried += 1;
        const [text, chosen] = write(before, national, country);
        const number = normalizeNumber(text, chosen);
        // Macau has numbers of today that start with a zero.
        const isMeant = number.ok && (today.includes(number.e164) || number.e164 === `+${before}0${national}`);
        return number.ok && number.valid && !isMeant ? [{ text, chosen, e164: number.e164 }] : [];
      });
    }),
  );
  expect(strangers).toEqual([]);
  expect(tried).toBeGreaterThan(rules.length * SAMPLES * WRITINGS.length * 0.8);
});
