import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanLine, cleanText, cleanTexts, printableLine, printableText } from "./clean-text.ts";

/** What an attacker writes into a name: escape sequences, C1, overrides, isolates, marks, separators, nothing visible. */
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
// oxlint-disable-next-line no-control-regex -- these are what must be gone
const SEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

test("a name has one line and nothing that acts on other text", () => {
  for (const trick of TRICKS) expect(cleanLine(`Ada${trick}Lovelace${trick}`)).not.toMatch(SEEN);
  expect(cleanLine("Ada\r\nBcc: eve@example.com")).toBe("Ada Bcc: eve@example.com");
  expect(cleanLine("\u200b\u2066\u0007 ")).toBe("");
});

test("a text keeps its lines, and every script and emoji what it needs", () => {
  expect(cleanText("one\r\ntwo\rthree\u2028four\tfive")).toBe("one\ntwo\nthree\nfour\tfive");
  for (const kept of ["می‌خواهم", "क्‍ष", "👩‍👩‍👧", "José Ñandú", "عمر", "é"]) expect(cleanText(kept)).toBe(kept);
});

test("cleaning twice is cleaning once, and no text of any kind passes", () => {
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

test("every text of a value is cleaned, and other values stay", () => {
  const body = { name: "A\u202eda", list: ["\u001bx", 1, null, true], deep: { text: "\u009b" } };
  expect(cleanTexts(body)).toEqual({ name: "Ada", list: ["x", 1, null, true], deep: { text: "" } });
});

test("a terminal shows a space for what would act on it", () => {
  expect(printableLine("a\u001b[31m\u202e\n")).toBe("a [31m  ");
  expect(printableText("a\nb\u009b")).toBe("a\nb ");
});
