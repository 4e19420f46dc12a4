import { formatAsTyped } from "@farline/domain/numbers/number-plans.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { significantPart } from "./edit-number.ts";
import { groupNumber } from "./group-number.ts";

describe("groups a number as people of its country write it", () => {
  it.each([
    ["200000142", "GH", "20 000 0142"],
    ["0200000142", "GH", "020 000 0142"],
    ["+233200000142", "US", "+233 20 000 0142"],
    ["2079460142", "GB", "20 7946 0142"],
    ["02079460142", "GB", "020 7946 0142"],
    ["2125550142", "US", "(212) 555-0142"],
    ["9820000142", "IN", "98200 00142"],
    ["501234567", "AE", "50 123 4567"],
    ["1-800-FLOWERS", "US", "1-800-FLOWERS"],
    ["", "US", ""],
  ])("%s in %s is %s", (text, country, grouped) => {
    expect(groupNumber(text, country, formatAsTyped)).toBe(grouped);
  });
});

it("never changes a digit", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^\+?[0-9 ]{0,18}$/),
      fc.constantFrom("US", "GH", "GB", "DE", "IT", "AE", "IN", "AR", "MX", "RU"),
      (text, country) => {
        expect(significantPart(groupNumber(text, country, formatAsTyped))).toBe(significantPart(text));
      },
    ),
  );
});
