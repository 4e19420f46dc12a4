import * as fc from "fast-check";
import { expect, it, test } from "vitest";
import { normalizeNumber } from "./phone-number.ts";
import { cleanExtension, withExtension, dialledNumber } from "./extension.ts";
import { readNumberText } from "./number-text.ts";

it.each([
  ["+44 20 7946 0001,,123#", "+44 20 7946 0001", ",,123#"],
  ["+44 20 7946 0001 , 2 , 1", "+44 20 7946 0001", ",2,1"],
  ["020 7946 0001;12", "020 7946 0001", ",12"],
  ["tel:+442079460001;ext=55", "+442079460001", ",,55"],
  ["(020) 7946-0001 ext. 4711", "(020) 7946-0001", ",,4711"],
  ["020 7946 0001 x9", "020 7946 0001", ",,9"],
  ["02079460001pp12", "02079460001", ",,12"],
  ["02079460001w3", "02079460001", ",3"],
  ["tel:+442079460001;postd=12", "+442079460001", ",,12"],
  ["+44 20 7946 0001 Durchwahl - 12", "+44 20 7946 0001", ",,12"],
  ["+359 2 123 4567 анекс 12", "+359 2 123 4567", ",,12"],
  ["010-65529988转8001", "010-65529988", ",,8001"],
  ["02-2720-8889 轉 123", "02-2720-8889", ",,123"],
  ["604-436-9449 Local 221", "604-436-9449", ",,221"],
  ["+49 30 901820 App. 21", "+49 30 901820", ",,21"],
  ["(021) 1234567 pes. 123", "(021) 1234567", ",,123"],
  ["+380 44 123 4567 дод. 12", "+380 44 123 4567", ",,12"],
  ["028 3823 4567 máy lẻ 123", "028 3823 4567", ",,123"],
  ["+1 212 736 3100 ext. no. 12", "+1 212 736 3100", ",,12"],
  ["+33 1 42 68 53 00 poste n° 12", "+33 1 42 68 53 00", ",,12"],
  ["+1 617-675-4444 PIN: 123 456 789#", "+1 617-675-4444", ",,123456789#"],
  ["+1 646 558 8656,,83412345678#,,,,*123456#", "+1 646 558 8656", ",,83412345678#,,,,*123456#"],
])("%s is split into number and extension", (text, number, extension) => {
  expect(readNumberText(text)).toEqual({ number, extension });
});

it.each([
  "+44 20 7946 0001, +44 20 7946 0002",
  "020 7946 0001; 020 7946 0002",
  "02079460001,02079460002",
  "020 7946 0001 ext. 5, 020 7946 0002",
  "020 7946 0001, Fax 020 7946 0002",
])("%s has a second number, not tones", (text) => {
  expect(readNumberText(text)).toEqual({ number: text, extension: "" });
});

it.each(["", "+", ",", ",,12", "+44 20 7946 0001", "+44 (0)20 7946-0001", "wrong number", "call me", "x12"])(
  "%s has nothing behind the number",
  (text) => expect(readNumberText(text)).toEqual({ number: text, extension: "" }),
);

it("an extension never changes which number is called", () => {
  const number = fc.constantFrom("+442079460001", "020 7946 0001", "+1 (415) 555-2671");
  const behind = fc.string({ unit: fc.constantFrom(..."0123456789,;*# ".split("")), maxLength: 20 });
  fc.assert(
    fc.property(number, behind, (typed, rest) => {
      const split = readNumberText(`${typed},,${rest}`);
      expect(normalizeNumber(split.number, "GB")).toEqual(normalizeNumber(typed, "GB"));
      expect(split.extension).toMatch(/^[\d*#,]{1,32}$/);
    }),
  );
});

it("an extension keeps the keypad's characters", () => {
  expect(cleanExtension(" 12-34 p #*a")).toBe("1234,#*");
});

it.each([
  [",,12", "020 7946 0001 ext. 12"],
  [",,12#", "020 7946 0001 ext. 12#"],
  [",12", "020 7946 0001,12"],
  [",,1,2", "020 7946 0001 ext. 1,2"],
  ["", "020 7946 0001"],
])("the extension %s is formatted so that it can be parsed", (extension, text) => {
  expect(withExtension("020 7946 0001", extension)).toBe(text);
  expect(readNumberText(text)).toEqual({ number: "020 7946 0001", extension });
});

it.each(["020 7946 0001 ext. ", "+44 20 7946 0001,,", "+44 20 7946 0001;", "+44 20 7946 0001 x", "tel:+442079460001;postd="])(
  "%s with more digits than an extension has is no number, because a cut code is another code",
  (text) => {
    const whole = (digits: number) => `${text}${"123456789#,,".repeat(4).slice(0, digits)}`;
    expect(readNumberText(whole(30)).extension).toHaveLength(text.endsWith(";") ? 31 : 32);
    expect(readNumberText(whole(33)).extension).toBe("");
    expect(normalizeNumber(whole(33), "GB")).toMatchObject({ ok: false });
  },
);

test.each([
  ["+442079460000", "+442079460000"],
  ["442079460000", "+442079460000"],
  ["sip:+442079460000@sip.example;user=phone", "+442079460000"],
  ["SIPS:442079460000;x=1", "+442079460000"],
  ["00442079460000", null],
  ["+0442079460000", null],
  ["+44207946000012345", null],
  ["+442079460000x@sip.example", null],
  ["echo", null],
  ["", null],
  [null, null],
])("%s dials %s", (to, number) => {
  expect(dialledNumber(to)).toBe(number);
});
