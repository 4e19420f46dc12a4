import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DeckRows, type DeckRow } from "./deck-rows.ts";
import { buildRateTable, matchPrefix } from "./rating.ts";

function row(prefix: string): DeckRow {
  return {
    prefix,
    description: `to ${prefix}`,
    countryCode: "US",
    numberType: "mobile",
    ratePerMinuteMicros: 10_000n,
    firstIntervalSeconds: 1,
    nextIntervalSeconds: 1,
  };
}

function tableOf(prefixes: readonly string[], blocks: readonly string[] = []) {
  return buildRateTable(DeckRows.from(prefixes.map(row)), blocks);
}

/** Few different digits, so that prefixes often overlap. */
const digits = (minLength: number) =>
  fc.array(fc.constantFrom("1", "2", "7", "0"), { minLength, maxLength: 15 }).map((list) => list.join(""));

test("the trie finds the same row as a search through the whole deck", () => {
  fc.assert(
    fc.property(fc.uniqueArray(digits(1), { maxLength: 60 }), fc.array(digits(0), { maxLength: 40 }), (prefixes, numbers) => {
      const table = tableOf(prefixes);
      for (const number of [...numbers, ...prefixes]) {
        const longest = prefixes
          .filter((prefix) => number.startsWith(prefix))
          .reduce((a, b) => (b.length > a.length ? b : a), "");
        expect(matchPrefix(table, number)?.prefix ?? "").toBe(longest);
        expect(matchPrefix(table, `+${number}`)).toEqual(matchPrefix(table, number));
      }
    }),
  );
});

test("a block excludes its numbers from a shorter prefix's price, and a longer prefix inside a block applies again", () => {
  const table = tableOf(["44", "44793712"], ["447937"]);
  for (const [number, prefix] of [
    ["+442079460958", "44"],
    ["+4479", "44"],
    ["+447937123456", "44793712"],
    ["+447937923456", undefined],
    ["447937", undefined],
  ] as const)
    expect(matchPrefix(table, number)?.prefix).toBe(prefix);
  expect(() => tableOf(["44"], ["44"])).toThrow(/44 twice/);
});

test("a number without a matching prefix has no rate, and neither has other text", () => {
  const table = tableOf(["44", "447"]);
  for (const number of ["+33123456789", "4", "", "+", "44a", "447a", "44 7", "++44"])
    expect(matchPrefix(table, number)).toBeNull();
  expect(matchPrefix(tableOf([]), "+447400123456")).toBeNull();
});

test("a deck with an invalid or duplicate prefix is rejected", () => {
  for (const prefix of ["", "+44", "44 7", "1234567890123456"]) expect(() => tableOf([prefix])).toThrow(RangeError);
  expect(() => tableOf(["44", "1", "44"])).toThrow(/44 twice/);
});
