import { MARK_UP } from "@farline/domain/business/mark-up.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { DeckRows } from "@farline/domain/rates/deck-rows.ts";
import { buildRateTable } from "@farline/domain/rates/rating.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pricedRow } from "../rates/rates.ts";
import { chargeTogether, rateTraffic } from "./rate-traffic.ts";

const PER_CALL_MICROS = 1n;

test.each([
  [1, 1],
  [6, 6],
  [30, 6],
  [60, 60],
  [60, 1],
])("calls of one length group together cost what they cost one by one, in increments of %i/%i", (first, next) => {
  const rate = { ratePerMinuteMicros: 60_000n, firstIntervalSeconds: first, nextIntervalSeconds: next };
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9 }), fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (group, rests) => {
      const lengths = rests.map((rest) => group * 6 + rest);
      const together = chargeTogether({ calls: lengths.length, seconds: lengths.reduce((sum, one) => sum + one, 0) }, rate);
      const apart = lengths.reduce((sum, one) => sum + chargeFor(one, rate), 0n);
      expect(apart - together >= 0n && apart - together <= BigInt(lengths.length) * PER_CALL_MICROS).toBe(true);
    }),
  );
});

const row = (prefix: string, cents: number, countryCode: string) =>
  pricedRow(
    { prefix, description: "", countryCode, numberType: "mobile" },
    { ratePerMinuteMicros: BigInt(cents) * 10_000n, firstIntervalSeconds: 60, nextIntervalSeconds: 60 },
    MARK_UP,
  );

test("money is summed in both directions, and countries are sorted by it", () => {
  const before = buildRateTable(
    DeckRows.from([row("44", 10, "GB"), row("49", 10, "DE"), row("33", 10, "FR"), row("53", 50, "CU")]),
  );
  const after = buildRateTable(DeckRows.from([row("44", 20, "GB"), row("49", 9, "DE"), row("33", 10, "FR"), row("81", 5, "JP")]));
  const calls = (prefix: string, countryCode: string) => ({ prefix, countryCode, calls: 2, seconds: 120, paidMicros: null });
  const traffic = [calls("491", "DE"), calls("447", "GB"), calls("331", "FR"), calls("535", "CU"), calls("813", "JP")];
  const rated = rateTraffic(before, after, traffic, () => null);
  expect(rated).toMatchObject({
    calls: 10,
    lost: 2,
    gained: 2,
    cost: { moreMicros: 200_000n, lessMicros: 20_000n },
    sale: { moreMicros: 280_000n, lessMicros: 28_000n },
  });
  expect(rated.countries.map(({ countryCode }) => countryCode)).toEqual(["CU", "GB", "JP", "DE", "FR"]);
});
