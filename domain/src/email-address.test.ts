import { expect, test } from "vitest";
import { emailKey, readEmailAddress } from "./email-address.ts";

test.each([
  ["Ada@Example.com", "Ada@Example.com"],
  [" ada.lovelace+farline@example.co.uk ", "ada.lovelace+farline@example.co.uk"],
  ["o'neil_1@ex-ample.com", "o'neil_1@ex-ample.com"],
  ["info@münchen.de", "info@xn--mnchen-3ya.de"],
  ["info@MU\u0308NCHEN.de", "info@xn--mnchen-3ya.de"],
  ["用户@例え.jp", "用户@xn--r8jz45g.jp"],
  ["ravi＠उदाहरण。भारत", "ravi@xn--p1b6ci4b4b3a.xn--h2brj9c"],
  ["سلام@مثال.إختبار", "سلام@xn--mgbh0fb.xn--kgbechtv"],
  ["josé@example.com", "josé@example.com"],
  ["jose\u0301@example.com", "josé@example.com"],
])("%s is read as %s", (typed, address) => {
  expect(readEmailAddress(typed)).toBe(address);
  expect(readEmailAddress(address)).toBe(address);
});

test.each([
  ...["", "ada", "ada@", "@example.com", "ada@example", "ada@-a.com", "ada@a..com", ".ada@example.com", "ada.@example.com"],
  ...["a da@example.com", "ada@exa mple.com", "ada@example.com\r\nBcc: x@y.de", "ada@1.2.3.4", "ada@0x7f.1", "ada@[::1]"],
  ...["ada@example.123", "ada@example.com/x", "ada@user:x@example.com", "\u202eada@example.com", "a\u200bda@example.com"],
  ...["<ada@example.com>", '"ada"@example.com', "ada@münchen%2ede", "ada@exämple.com:80", "ada@ex\u00adämple.com:1"],
  `${"a".repeat(65)}@example.com`,
  `${"é".repeat(33)}@example.com`,
  `a@${"a".repeat(64)}.com`,
  `a@${"b.".repeat(130)}com`,
])("%j is not an email address", (typed) => {
  expect(readEmailAddress(typed)).toBeNull();
});

test.each([
  ["Ada@Example.COM", "ada@example.com"],
  ["JOSÉ@example.com", "jose\u0301@EXAMPLE.com"],
  ["Info@MÜNCHEN.de", "info@xn--mnchen-3ya.de"],
  ["ａｄａ＠example.com", "ada@example.com"],
  ["ada@例え。jp", "ada@xn--r8jz45g.jp"],
])("%s and %s are the same address", (one, other) => {
  expect(emailKey(one)).toBe(emailKey(other));
});
