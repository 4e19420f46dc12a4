import { expect, test } from "vitest";
import { normalizeNumber } from "./phone-number.ts";

test.each([
  ["Tel 1: 030 901820", "DE", "+4930901820"],
  ["Tel. 2: +49 30 901820", null, "+4930901820"],
  ["2. 030 901820", "DE", "+4930901820"],
  ["1) 020 7946 0018", "GB", "+442079460018"],
  ["Phone 1) (020) 7946 0018", "GB", "+442079460018"],
  ["OFFICE - 1(516)733-3989", "US", "+15167333989"],
  ["1. 516.733.3989", "US", "+15167333989"],
])("%s with %s chosen is %s: what counts the lines of a list is no digit", (typed, country, e164) => {
  expect(normalizeNumber(typed, country)).toMatchObject({ ok: true, e164, valid: true });
});

test.each([
  "03ー3581ー0000",
  "０３ー３５８１ー００００",
  "03ｰ3581ｰ0000",
  "03 ー 3581 ー 0000",
  "03─3581─0000",
  "0️⃣3️⃣3️⃣5️⃣8️⃣1️⃣0️⃣0️⃣0️⃣0️⃣",
])("%s has the hyphens and digits of another keyboard", (typed) =>
  expect(normalizeNumber(typed, "JP")).toMatchObject({ ok: true, e164: "+81335810000" }),
);
