import { expect, test } from "vitest";
import { dialledNumber } from "./dialled-number.ts";

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
