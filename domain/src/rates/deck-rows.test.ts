import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DeckRows, type DeckRow } from "./deck-rows.ts";

interface CostRow extends DeckRow {
  readonly cost: {
    readonly ratePerMinuteMicros: bigint;
    readonly firstIntervalSeconds: number;
    readonly nextIntervalSeconds: number;
  };
}

const rate = fc.record({
  ratePerMinuteMicros: fc.bigInt(0n, 3n),
  firstIntervalSeconds: fc.constantFrom(1, 60),
  nextIntervalSeconds: fc.constantFrom(1, 60),
});
const row: fc.Arbitrary<CostRow> = fc
  .record({
    prefix: fc.array(fc.constantFrom("0", "4", "9"), { minLength: 1, maxLength: 15 }).map((digits) => digits.join("")),
    description: fc.constantFrom("", "Mobile", "GB mobile"),
    countryCode: fc.constantFrom("GB", "FR"),
    numberType: fc.constantFrom("mobile", "landline"),
    sale: rate,
    cost: rate,
  })
  .map(({ sale, ...rest }) => ({ ...rest, ...sale }));

test("rows come back as they were added, with or without costs, and leading zeros stay", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), (given) => {
      const packed = DeckRows.from(given);
      expect([...packed]).toEqual(given);
      expect(packed.slice(1, 3)).toEqual(given.slice(1, 3));
      const withoutCosts = given.map(({ cost: _cost, ...sale }) => sale);
      expect([...DeckRows.from<DeckRow>(withoutCosts)]).toEqual(withoutCosts);
    }),
  );
});

test("searches find the rows that a loop finds", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), (given) => {
      const packed = DeckRows.from(given);
      expect([...packed.countries()].toSorted()).toEqual([...new Set(given.map(({ countryCode }) => countryCode))].toSorted());
      expect(packed.ofCountry("GB")).toEqual(given.filter(({ countryCode }) => countryCode === "GB"));
      const isFree = (terms: Pick<CostRow, "cost" | "ratePerMinuteMicros">) =>
        terms.ratePerMinuteMicros < terms.cost.ratePerMinuteMicros;
      expect(packed.prefixesWhere(isFree)).toEqual(given.filter(isFree).map(({ prefix }) => prefix));
    }),
  );
});

test("many rows grow the list", () => {
  const made = DeckRows.from(
    Array.from({ length: 5_000 }, (_, n): DeckRow => ({
      prefix: String(n),
      description: "",
      countryCode: "US",
      numberType: "mobile",
      ratePerMinuteMicros: BigInt(n % 7),
      firstIntervalSeconds: 1,
      nextIntervalSeconds: 1,
    })),
  );
  expect([made.length, made.at(4_999).prefix, made.at(4_999).ratePerMinuteMicros]).toEqual([5_000, "4999", 1n]);
});

test.each(["", "+44", "44 7", "1e3", "1234567890123456"])("the prefix %j is refused", (prefix) => {
  const given = { prefix, description: "", countryCode: "GB", numberType: "mobile" };
  expect(() =>
    new DeckRows().add({ ...given, ratePerMinuteMicros: 1n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 }),
  ).toThrow(RangeError);
});
