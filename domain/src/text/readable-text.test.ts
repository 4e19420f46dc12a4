import { expect, test } from "vitest";
import { findUnreadable } from "./readable-text.ts";

test.each([
  ["plain text", "Ada"],
  ["a whole pair", { name: "😀" }],
  ["both directions of writing", "\u202Eabc\u200B"],
  ["no body", undefined],
  ["null, numbers and lists", { list: [null, 1, true, "x"] }],
])("%s is readable", (_what, value) => {
  expect(findUnreadable(value)).toBeNull();
});

test.each([
  ["NUL", { contact: { name: "a\0b" } }, "/contact/name"],
  ["half a pair", { names: ["x", "\uD800"] }, "/names/1"],
  ["the other half", "\uDC00", ""],
  ["NUL in a name", { "a\0": 1 }, ""],
])("%s is reported with its field's path", (_what, value, instancePath) => {
  expect(findUnreadable(value)).toMatchObject({ instancePath });
});

test("values that are nested too deeply are reported", () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
  expect(findUnreadable(deep)).toMatchObject({ message: "value_too_deep" });
});
