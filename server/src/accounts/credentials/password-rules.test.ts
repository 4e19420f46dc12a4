import { expect, test } from "vitest";
import { checkNewPassword } from "./password-rules.ts";

const person = { name: "Ada Lo", email: "wren.lovelace@example.com" };
const check =
  (password: string, confirmation = password) =>
  () =>
    checkNewPassword({ password, password_confirmation: confirmation }, person);

test.each(["farlineqwzxvbn", "AdaAdaqwzxvb", "lovelace-wren1", "adaqwzxvbn"])(
  "%s is made of the product's, the customer's or the mailbox's name",
  (password) => expect(check(password)).toThrow("name or email"),
);

test.each(["farlineqwzxvbnm", "ada qwzxvbn", "qwzxvbn", "lololololo1"])(
  "%s has enough characters besides personal data",
  (password) => expect(check(password)).not.toThrow(),
);

test("a new password's entries must match and must not be common", () => {
  expect(check("qwzxvbnmk", "qwzxvbnml")).toThrow();
  expect(check("password1")).toThrow();
});
