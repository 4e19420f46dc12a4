import { expect, test } from "vitest";
import { readGreeting } from "./greeting.ts";

test.each([
  ["", ""],
  ["  Happy birthday, Mama!\n Call me. ", "Happy birthday, Mama! Call me."],
  ["<b>Hi</b>", "<b>Hi</b>"],
  ["Ring me at 18:00. Love", "Ring me at 18:00. Love"],
  ["a\u202Eb\u0007c", "abc"],
])("%j is kept as %j", (typed, kept) => {
  expect(readGreeting(typed)).toBe(kept);
});

test.each([
  "https://evil.example",
  "see www.evil",
  "evil.example now",
  "ｅｖｉｌ．ｅｘａｍｐｌｅ",
  "mail me@evil",
  "call +44 20 7946 0000",
  "x".repeat(201),
  "اتصل evil.شبكة",
])("%j is refused", (typed) => {
  expect(readGreeting(typed)).toBeNull();
});
