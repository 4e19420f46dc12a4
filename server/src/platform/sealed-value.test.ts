import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openValue, sealValue } from "./sealed-value.ts";

const key = randomBytes(32);

test("a sealed value can be opened, and its ciphertext does not contain it", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, unit: "grapheme" }), fc.string(), (value, owner) => {
      const sealed = sealValue(key, value, owner);
      expect(openValue(key, sealed, owner)).toBe(value);
      expect(sealed.includes(Buffer.from(value))).toBe(false);
    }),
  );
});

test("it does not open for another owner, with another key, or after a change", () => {
  const sealed = sealValue(key, "the secret", "ada");
  expect(() => openValue(key, sealed, "bob")).toThrow();
  expect(() => openValue(randomBytes(32), sealed, "ada")).toThrow();
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => openValue(key, changed, "ada")).toThrow();
  }
});

test("sealing the same value twice gives two different results", () => {
  expect(sealValue(key, "the secret", "ada")).not.toEqual(sealValue(key, "the secret", "ada"));
});
