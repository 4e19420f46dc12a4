import { SPECIAL_RANGES } from "@farline/domain/data/special-range-rows.ts";
import { exampleNumber } from "@farline/domain/numbers/example-number.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import * as fc from "fast-check";
import mobileExamples from "libphonenumber-js/mobile/examples";
import { getCountryCallingCode, type CountryCode } from "libphonenumber-js/max";
import metadata from "libphonenumber-js/max/metadata";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { lookUpNumber } from "./look-up-number.ts";
import { createRates } from "./rates.ts";
import { testContext } from "../../test/test-context.ts";
import type { Rates } from "../context.ts";

/** Numbers of each country and type, generated from the numbering plans' patterns. */
const SAMPLES_OF_A_TYPE = 12;
const SEED = 20_260_101;
const ORDINARY = ["mobile", "landline", "fixed_or_mobile"];
const TYPES_IN_METADATA = 11;
const PAY_PER_CALL_EXCHANGE = /^1\d{3}976/;

let database: TestDatabase;
let rates: Rates;
beforeAll(async () => {
  database = await testDatabase();
  const clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
  rates = await createRates(testContext({ handle: database.handle, clock }));
});
afterAll(async () => {
  rates.close();
  await database.close();
});

interface Sample {
  readonly e164: string;
  readonly type: string;
}

/** Valid numbers of the country. */
function samplesOf(country: CountryCode): Sample[] {
  const types = (metadata.countries[country] as unknown as readonly unknown[])[TYPES_IN_METADATA];
  const patterns = (Array.isArray(types) ? types : []) as readonly (readonly [pattern?: string] | 0)[];
  return patterns.flatMap((type) => {
    const pattern = type === 0 ? undefined : type[0];
    if (pattern === undefined || pattern === "") return [];
    return fc
      .sample(fc.stringMatching(new RegExp(`^(?:${pattern})$`)), { numRuns: SAMPLES_OF_A_TYPE, seed: SEED })
      .flatMap((national): Sample[] => {
        const number = normalizeNumber(`+${getCountryCallingCode(country)}${national}`, null);
        return number.ok && number.valid ? [{ e164: number.e164, type: number.type }] : [];
      });
  });
}

const samples = (Object.keys(metadata.countries) as CountryCode[]).flatMap(samplesOf);
const quoted = (e164: string) => rates.quote(e164, "visitor");

test("every country's special numbers are refused unless the rate is for special numbers", () => {
  const special = samples.filter(({ type }) => !ORDINARY.includes(type) && type !== "unknown");
  const sold = special.filter(({ e164 }) => {
    const row = quoted(e164);
    return row !== null && ORDINARY.includes(row.numberType) && lookUpNumber(quoted, e164, null).connected;
  });
  expect(special.length).toBeGreaterThan(2_000);
  expect(sold).toEqual([]);
});

test("every country's ordinary numbers are sold if the rate is for ordinary numbers", () => {
  const ordinary = samples.filter(
    ({ e164, type }) => ORDINARY.includes(type) && ORDINARY.includes(quoted(e164)?.numberType ?? ""),
  );
  const isListed = (digits: string) =>
    PAY_PER_CALL_EXCHANGE.test(digits) || SPECIAL_RANGES.some(({ range }) => range.test(digits));
  const refused = ordinary.filter(({ e164 }) => !isListed(e164.slice(1)) && !lookUpNumber(quoted, e164, null).connected);
  expect(ordinary.length).toBeGreaterThan(4_000);
  expect(refused).toEqual([]);
});

test("every country's example mobile number is sold", () => {
  const refused = Object.keys(mobileExamples).filter((country) => {
    const example = exampleNumber(country)?.international ?? "";
    return !lookUpNumber(quoted, example, null).connected;
  });
  expect(refused).toEqual([]);
});
