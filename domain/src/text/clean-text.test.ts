import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanLine, cleanText, cleanTexts, printableLine, printableText } from "./clean-text.ts";

/** An attacker's name: escape sequences, C1, overrides, isolates, marks, separators, invisible characters. */
const TRICKS = [
  "\u001b[2J",
  "\u009b31m",
  "\u0007",
  "\u202e",
  "\u2066",
  "\u200f",
  "\u061c",
  "\u2028",
  "\ufeff",
  "\u200b",
  "\u0085",
  "\r\n",
];
// oxlint-disable-next-line no-control-regex -- these must be removed
const SEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

test("a cleaned name has one line and no characters that affect other text", () => {
  for (const trick of TRICKS) expect(cleanLine(`Ada${trick}Lovelace${trick}`)).not.toMatch(SEEN);
  expect(cleanLine("Ada\r\nBcc: eve@example.com")).toBe("Ada Bcc: eve@example.com");
  expect(cleanLine("\u200b\u2066\u0007 ")).toBe("");
});

test.each(["\u3164", "\u2800\u2800", "\u115f\u1160", "\uffa0 \uffa0", "\u00ad", "\u200d", "\u034f\ufe0f", "\u180e", "\u{e0041}"])(
  "a line of %j shows nothing, so it is empty, and may stand inside what shows something",
  (blank) => {
    expect(cleanLine(blank)).toBe("");
    expect(cleanLine(`A${blank}da`)).toContain("da");
  },
);

test("a cleaned text keeps its lines, and the joiners that scripts and emoji need", () => {
  expect(cleanText("one\r\ntwo\rthree\u2028four\tfive")).toBe("one\ntwo\nthree\nfour\tfive");
  for (const kept of ["می‌خواهم", "क्‍ष", "👩‍👩‍👧", "José Ñandú", "عمر", "é"]) expect(cleanText(kept)).toBe(kept);
});

test("cleaning is idempotent and removes all unwanted characters from any text", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(...TRICKS), fc.string({ unit: "binary", maxLength: 2 })),
    maxLength: 12,
  });
  fc.assert(
    fc.property(text, (given) => {
      expect(cleanText(cleanText(given))).toBe(cleanText(given));
      expect(cleanLine(cleanLine(given))).toBe(cleanLine(given));
      expect(cleanLine(given)).not.toMatch(SEEN);
      expect(printableLine(given)).not.toMatch(SEEN);
    }),
    { numRuns: 60 },
  );
});

test("every text in a value is cleaned, and other values are unchanged", () => {
  const body = { name: "A\u202eda", list: ["\u001bx", 1, null, true], deep: { text: "\u009b" } };
  expect(cleanTexts(body)).toEqual({ name: "Ada", list: ["x", 1, null, true], deep: { text: "" } });
});

test("printable text has spaces instead of characters that control a terminal", () => {
  expect(printableLine("a\u001b[31m\u202e\n")).toBe("a [31m  ");
  expect(printableText("a\nb\u009b")).toBe("a\nb ");
});
