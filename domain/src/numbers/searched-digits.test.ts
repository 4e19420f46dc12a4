import { expect, test } from "vitest";
import { searchedDigits, searchedStart } from "./searched-digits.ts";

test.each([
  ["020 7946", "207946"],
  ["+44 (20) 79-46", "44207946"],
  ["0044 20", "4420"],
  ["\u202a+44 20 7946\u202c", "44207946"],
  ["+44 (0)20 7946", "44207946"],
  ["+44\u00a0(0)\u2011207946", "44207946"],
  ["(0) 20 79", "2079"],
  ["٠١٠٠ ١٢", "10012"],
  ["९८७६", "9876"],
  ["＋４４ ２０", "4420"],
  ["tel:+442079460001", "442079460001"],
  ["Tel.: 020 7946 0001 (Anna)", "2079460001"],
  ["020 7946 0001 ext. 12", "2079460001"],
  ["https://wa.me/442079460001", "442079460001"],
  ["Anna 22", null],
  ["07", null],
  ["7", null],
  ["+", null],
  ["", null],
  ["ann 20", null],
])("a search for %j looks for the digits %j", (text, digits) => {
  expect(searchedDigits(text)).toBe(digits);
});

test.each([
  ["+44", "+44"],
  ["+44 20 7946", "+44207946"],
  ["0044 20-79", "+442079"],
  ["+44 (0)20 79", "+442079"],
  ["\u202a+233\u00a020\u202c", "+23320"],
  ["8821", "+8821"],
  ["030", null],
  ["+0", null],
  ["Ghana", null],
  ["", null],
])("numbers that begin with %j begin with %j", (text, start) => {
  expect(searchedStart(text)).toBe(start);
});
