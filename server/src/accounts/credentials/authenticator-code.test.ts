import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Secret } from "otpauth";
import { expect, test } from "vitest";
import { hashRecoveryCode, newRecoveryCodes, stepOfCode } from "./authenticator-code.ts";
import { openSecret } from "./check-code.ts";

test("authenticator codes match the test vectors of RFC 6238", () => {
  const secret = new Secret({ buffer: new TextEncoder().encode("12345678901234567890").buffer }).base32;
  // RFC 6238 appendix B, SHA1, last six of eight digits.
  for (const [seconds, code] of [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [2_000_000_000, "279037"],
  ] as const)
    expect(stepOfCode(secret, code, new Date(seconds * 1000))).toBe(Math.floor(seconds / 30));
});

test("recovery codes have no ambiguous letters, and their hashes differ per customer", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      fc.pre(one !== other);
      for (const code of newRecoveryCodes()) {
        expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
        expect(hashRecoveryCode(one, code)).not.toEqual(hashRecoveryCode(other, code));
      }
    }),
    { numRuns: 20 },
  );
});

test("a secret sealed with a missing key fails with that key's name", () => {
  const stored = { secret: Buffer.alloc(0), secretKey: "gone", confirmedAt: null };
  expect(() => openSecret([{ id: "test", secret: randomBytes(32) }], stored, "somebody")).toThrow(
    /SECRET_KEYS lacks the key "gone"/,
  );
});
