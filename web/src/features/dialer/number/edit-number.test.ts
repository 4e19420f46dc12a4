import { formatAsTyped } from "@farline/domain/numbers/number-plans.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deleteBack, groupNumber, insertKey, reformatEdit, significantPart } from "./edit-number.ts";

const british = (text: string): string => formatAsTyped(significantPart(text), "GB");

it("groups digits as they are typed and keeps the caret at the end", () => {
  let edit = { text: "", caret: 0 };
  for (const digit of "02079460142") {
    const typed = insertKey(edit.text, { start: edit.caret, end: edit.caret }, digit);
    edit = reformatEdit(edit.text, typed, british);
  }
  expect(edit).toEqual({ text: "020 7946 0142", caret: 13 });
});

it("keeps the caret after a digit inserted in the middle", () => {
  const edit = reformatEdit("020 7946 014", insertKey("020 7946 014", { start: 1, end: 1 }, "2"), british);
  expect(significantPart(edit.text)).toBe("02207946014");
  expect(significantPart(edit.text.slice(0, edit.caret))).toBe("02");
});

it("deletes the digit before a deleted space, so that Backspace always has an effect", () => {
  const edit = reformatEdit("020 7946 0142", { text: "0207946 0142", caret: 3 }, british);
  expect(significantPart(edit.text)).toBe("0279460142");
});

it("keeps every digit when the same number is pasted without spaces", () => {
  const edit = reformatEdit("020 7946 0142", { text: "02079460142", caret: 11 }, british);
  expect(significantPart(edit.text)).toBe("02079460142");
});

it.each([
  ["Anika", "Anik"],
  ["Frau Schmidt", "Frau Schmid"],
  ["अनिका", "अनिक"],
  ["Anika 020", "Anika 02"],
  ["Max (", "Max "],
])("deletes one character of a text that is no number: %s", (before, after) => {
  expect(reformatEdit(before, { text: after, caret: after.length }, (text) => text)).toEqual({
    text: after,
    caret: after.length,
  });
});

it("deletes a letter with the pad's key too, and never the whole text", () => {
  expect(deleteBack("Anika", { start: 5, end: 5 })).toEqual({ text: "Anik", caret: 4 });
  expect(deleteBack("Anika 0", { start: 6, end: 6 })).toEqual({ text: "Anik0", caret: 4 });
});

it("deletes the selection, otherwise one digit, otherwise nothing", () => {
  expect(deleteBack("020 7946", { start: 0, end: 4 })).toEqual({ text: "7946", caret: 0 });
  expect(deleteBack("020 7", { start: 4, end: 4 })).toEqual({ text: "027", caret: 2 });
  expect(deleteBack("020", { start: 0, end: 0 })).toEqual({ text: "020", caret: 0 });
});

it("never loses or adds a digit by grouping, and keeps the caret after the same digit", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9+*#, ()-]{0,20}$/), fc.nat(20), (text, at) => {
      const caret = Math.min(at, text.length);
      const edit = reformatEdit("", { text, caret }, (typed) => typed.replace(/[^\d+*#,;]/g, "").replace(/(...)/g, "$1 "));
      expect(significantPart(edit.text)).toBe(significantPart(text));
      expect(significantPart(edit.text.slice(0, edit.caret))).toBe(significantPart(text.slice(0, caret)));
    }),
  );
});

it("keeps the caret after letters, which are not part of a number", () => {
  expect(reformatEdit("k", { text: "kw", caret: 2 }, (text) => text)).toEqual({ text: "kw", caret: 2 });
});

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
