import { expect, test } from "vitest";
import { isolateForeign, isolateNumber, isRightToLeft, withoutIsolates } from "./text-direction.ts";

test.each([
  ["en", "أحمد (24h)"],
  ["fr", "דנה 2"],
  ["hi", "\u{1e900}\u{1e922}"],
  ["ar", "24h Taxi (Anna)"],
  ["ar", "Ελένη 7"],
  ["ar", "प्रिया 3"],
] as const)("in %s, %s keeps its own order", (language, text) => {
  expect(isolateForeign(text, language)).toBe(`\u2068${text}\u2069`);
});

test.each([
  ["en", "24h Taxi (Anna)"],
  ["en", "Mum ❤️"],
  ["es", "प्रिया"],
  ["ar", "أحمد (٢٤)"],
  ["ar", "+233 20 000 0142"],
] as const)("in %s, %s needs nothing", (language, text) => {
  expect(isolateForeign(text, language)).toBe(text);
});

test("a number runs from left to right in Arabic", () => {
  expect(isolateNumber("+233 20", "ar")).toBe("\u2066+233 20\u2069");
  expect(isolateNumber("+233 20", "en")).toBe("+233 20");
});

test("isolates can be taken away, and letters tell the direction", () => {
  expect(withoutIsolates("\u2068محمد\u2069, \u2066+1\u2069")).toBe("محمد, +1");
  expect([isRightToLeft("محمد 1"), isRightToLeft("Mum ❤️ 1")]).toEqual([true, false]);
});
