import { randomBytes, randomUUID } from "node:crypto";
import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { deriveKey, linkToken, readLinkToken, type SecretKey, type SecretKeys } from "./secret-keys.ts";

const key = (id: string): SecretKey => ({ id, secret: randomBytes(32) });
const keys: SecretKeys = [key("new"), key("old")];

property.prop([fc.uuid({ version: 4 })])("a token yields its record's id", (id) => {
  expect(readLinkToken(keys, "reset_password", linkToken(keys, "reset_password", id))).toBe(id);
});

test("a token made for one use is refused for another", () => {
  expect(readLinkToken(keys, "reset_password", linkToken(keys, "verify_email", randomUUID()))).toBeNull();
});

property.prop([fc.nat({ max: 63 }), fc.constantFrom(..."ABab01-_")])("a changed token is refused", (at, letter) => {
  const token = linkToken(keys, "verify_email", randomUUID());
  fc.pre(token[at] !== letter);
  expect(readLinkToken(keys, "verify_email", token.slice(0, at) + letter + token.slice(at + 1))).toBeNull();
});

/** A token that ends with these characters after others, and its id. */
function tokenWithEnd(end: string) {
  const pattern = new RegExp(`[A-Za-z0-9]${end}$`);
  for (;;) {
    const id = randomUUID();
    const token = linkToken(keys, "reset_password", id);
    if (pattern.test(token)) return { id, token };
  }
}

test.each(["-", "_", "--"])("a token that ends with %s works without its end, which mail programs leave out of links", (end) => {
  const { id, token } = tokenWithEnd(end);
  for (let length = token.length - end.length; length <= token.length; length += 1)
    expect(readLinkToken(keys, "reset_password", token.slice(0, length))).toBe(id);
  expect(readLinkToken(keys, "reset_password", token.slice(0, -end.length - 1))).toBeNull();
});

property.prop([fc.string({ maxLength: 100 })])("a text that is not a token is refused", (text) => {
  expect(readLinkToken(keys, "verify_email", text)).toBeNull();
});

test("a token made with an older key works while that key is configured", () => {
  const id = randomUUID();
  const token = linkToken([keys[1] as SecretKey], "verify_email", id);
  expect(readLinkToken(keys, "verify_email", token)).toBe(id);
  expect(readLinkToken([keys[0]], "verify_email", token)).toBeNull();
});

test("each use derives a different key", () => {
  expect(deriveKey(keys[0], "password")).not.toEqual(deriveKey(keys[0], "link verify_email"));
  expect(deriveKey(keys[0], "password")).toHaveLength(32);
});
