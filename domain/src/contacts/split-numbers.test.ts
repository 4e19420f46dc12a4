import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { splitNumbers } from "./split-numbers.ts";

const textsOf = (cell: string) => splitNumbers(cell).map(({ text }) => text);
const A = "+44 20 7946 0000";
const B = "+49 711 1234567";

test.each([
  `${A}; ${B}`,
  `${A} / ${B}`,
  `${A}, ${B}`,
  `${A} oder ${B}`,
  `${A} or ${B}`,
  `${A} и ${B}`,
  `${A} ::: ${B}`,
  `${A}\n${B}`,
])("%j contains two numbers", (cell) => {
  expect(textsOf(cell)).toEqual([A, B]);
});
test.each([
  `${A},${B}`,
  `${A} | ${B}`,
  `${A}/${B}`,
  `${A} & ${B}`,
  `${A} أو ${B}`,
  `${A} / ${B} /`,
  `${A}或${B}`,
  `Home: ${A}, Mobile: ${B}`,
])("%j is split between its two numbers", (cell) => {
  expect(textsOf(cell).map((number) => number.replace(/[^+\d]/g, ""))).toEqual([A, B].map((one) => one.replace(/ /g, "")));
});
test("three numbers are split, and a slash inside a number is not", () => {
  expect(textsOf(`0711/12 34 567; ${A}; ${B}`)).toEqual(["0711/12 34 567", A, B]);
  expect(textsOf(`${A} / 0711/1234567`)).toEqual([A, "0711/1234567"]);
});
test.each([
  "0711/123 45 67",
  "030/1234567-8",
  "+44 20 7946 0000 ext. 12",
  "+44 20 7946 0000 x12345",
  "+44 20 7946 0000;ext=12",
  "tel:+44-20-7946-0000;ext=1234567",
  "+44 20 7946 0000,,123456#",
  "+442079460000p1p2",
  "Tel. 0711 1234567 (Anna)",
  "1-800-FLOWERS",
  "4.47912E+11",
  "112",
  "ask Ann",
])("%j is not split", (cell) => {
  expect(textsOf(cell)).toEqual([cell]);
});

property.prop({
  cell: fc.array(fc.constantFrom("+", "44", "1234567", ";", "/", ",", " ", "or", "x", "ext", "\n", ":::"), { maxLength: 40 }),
})("no digit is lost when a cell is split", ({ cell }) => {
  const text = cell.join("");
  expect(textsOf(text).join("").replace(/\D/g, "")).toBe(text.replace(/\D/g, ""));
});
