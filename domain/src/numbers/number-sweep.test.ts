import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { countryByCode } from "../countries/countries.ts";
import { formatInternational } from "./number-plans.ts";
import { normalizeNumber, type NormalizedNumber } from "./phone-number.ts";

/** Mobile and landline numbers of every country that are in use: as typed inside the country, and in E.164. */
const NUMBERS = readFileSync(new URL("../../test/format-traps.csv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/))
  .map((cells) => ({ country: cells[0] as string, typed: cells[5] as string, e164: cells[7] as string }))
  .filter(({ e164 }) => isInUse(e164));

/** Exit codes (ITU-T E.164 operational bulletin 994). */
const EXIT_CODES: Readonly<Record<string, string>> = {
  ...{ US: "011", CA: "011", JM: "011", DE: "00", GB: "00", FR: "00", AT: "00", IT: "00", ES: "00", PL: "00" },
  ...{ EG: "00", PK: "00", PH: "00", CN: "00", GH: "00", MX: "00", AU: "0011", JP: "010", KR: "001", TH: "001" },
  ...{ HK: "001", SG: "001", NG: "009", KE: "000", TZ: "000", RU: "810", KZ: "810", CU: "119", CO: "009", IN: "00" },
};
const HOMES = [
  "US",
  "CA",
  "DE",
  "GB",
  "FR",
  "AT",
  "IT",
  "ES",
  "PL",
  "EG",
  "PK",
  "PH",
  "CN",
  "GH",
  "MX",
  "AU",
  "JP",
  "NG",
  "RU",
  "IN",
];

function isInUse(e164: string): boolean {
  const number = normalizeNumber(e164, null);
  return number.ok && number.valid;
}

interface Written {
  readonly text: string;
  readonly home: string | null;
  /** Whether the text has only one possible meaning. */
  readonly isUnambiguous: boolean;
}

type Writing = (number: (typeof NUMBERS)[number], home: string) => readonly Written[];

const digitsOf = (e164: string) => e164.slice(1);
const written = (text: string, home: string | null, isUnambiguous: boolean): readonly Written[] => [
  { text, home, isUnambiguous },
];
const arabic = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));

const WRITINGS: Readonly<Record<string, Writing>> = {
  "as at home": ({ typed, country }) => written(typed, country, false),
  "its digits alone, at home": ({ typed, country }) => written(typed.replace(/\D/g, ""), country, false),
  "country code without a plus": ({ e164 }, home) => written(digitsOf(e164), home, false),
  "country code without a plus, in groups": ({ e164 }, home) => written(formatInternational(e164).slice(1), home, false),
  "every exit code": ({ e164 }) =>
    Object.entries(EXIT_CODES).map(([home, code]) => ({ text: `${code} ${digitsOf(e164)}`, home, isUnambiguous: true })),
  "a zero in brackets": ({ e164, country }) => {
    const code = countryByCode(country)?.dialCode ?? "";
    const rest = digitsOf(e164).slice(code.length);
    return rest.startsWith("0") ? [] : written(`+${code} (0) ${rest}`, null, false);
  },
  "a label": ({ e164 }, home) => written(`Tel.: ${formatInternational(e164)}`, home, true),
  "an extension": ({ e164 }, home) => written(`${formatInternational(e164)} ext. 12`, home, true),
  "other digits": ({ e164 }, home) => written(`+${arabic(digitsOf(e164))}`, home, true),
  "marks of direction and dots": ({ e164 }, home) =>
    written(`\u202a${formatInternational(e164).replaceAll(" ", ".")}\u202c`, home, true),
  "a name behind": ({ e164 }, home) => written(`${formatInternational(e164)} (Anna)`, home, true),
  "a link": ({ e164 }) => written(`tel:%2B${digitsOf(e164)}`, null, true),
};

/** Whether a result is the expected number, asks the user, is an error, or is another number. */
function classify(result: NormalizedNumber, e164: string): "read" | "asked" | "refused" | "wrong" {
  if (result.ok) return result.e164 === e164 ? "read" : "wrong";
  if (result.problem !== "ambiguous") return "refused";
  return result.choices.some((choice) => choice.e164 === e164) ? "asked" : "wrong";
}

/** The largest share of numbers that may be ambiguous, for common formats. */
const MAX_AMBIGUOUS: Readonly<Record<string, number>> = {
  "as at home": 0.03,
  "its digits alone, at home": 0.12,
  "a zero in brackets": 0.02,
};

const EVERY = process.env["FULL"] === "1" ? 1 : 7;

test.each(Object.entries(WRITINGS))(
  "numbers of every country written with %s are never read as another number",
  (name, writing) => {
    const all = NUMBERS.flatMap((number, index) =>
      HOMES.flatMap((home, at) =>
        (index * HOMES.length + at) % EVERY === 0 ? writing(number, home).map((one) => ({ ...one, number })) : [],
      ),
    );
    const judged = all.map(({ text, home, isUnambiguous, number }) => ({
      text,
      home,
      isUnambiguous,
      meant: number.e164,
      is: classify(normalizeNumber(text, home), number.e164),
    }));
    expect(judged.filter(({ is, isUnambiguous }) => is === "wrong" || (isUnambiguous && is !== "read"))).toEqual([]);
    expect(judged.filter(({ is }) => is === "refused")).toEqual([]);
    const asked = judged.filter(({ is }) => is === "asked").length / judged.length;
    expect(asked).toBeLessThanOrEqual(MAX_AMBIGUOUS[name] ?? 1);
  },
);
