import { expect, test } from "vitest";
import { isCommonPassword } from "./common-passwords.ts";

test.each([
  "password",
  "PASSWORD",
  "Passw0rd!",
  "P@ssw0rd",
  "p4$$w0rd",
  "12345678",
  "qwertyuiop",
  "sunshine1",
  "letmein123",
  "iloveyou!!",
])("%s is common", (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

test.each(["correct horse battery", "seven blue umbrellas", "Zx9!kdl2mm", "pässwörd-für-mich", "        ", "🙂🙂🙂🙂🙂🙂🙂🙂"])(
  "%s is not",
  (password) => {
    expect(isCommonPassword(password)).toBe(false);
  },
);

test("the longest allowed password is looked up as fast as any", () => {
  expect(isCommonPassword("!".repeat(128))).toBe(false);
});
