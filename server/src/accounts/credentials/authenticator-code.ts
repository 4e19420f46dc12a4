import { createHash, randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";

const ISSUER = "Farline";

const SECRET_BYTES = 20;

const STEP_SECONDS = 30;

/** Also accepts the previous and the next step, because clocks differ. */
const STEPS_OFF = 1;

const SETTINGS = { issuer: ISSUER, algorithm: "SHA1", digits: 6, period: STEP_SECONDS };

const CODES = 10;

const CODE_BYTES = 10;

/** Crockford's Base32: no I, L, O or U, so that handwritten codes stay legible. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A new shared secret, 160 bits in Base32 (RFC 4226 §4). */
export function newAuthenticatorSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** Content of the QR code: `otpauth://totp/Farline:ada@example.com?…`. */
export function authenticatorUri(secret: string, email: string): string {
  return new TOTP({ ...SETTINGS, label: email, secret: Secret.fromBase32(secret) }).toString();
}

/**
 * The 30-second step since 1970 (RFC 6238) that a code belongs to, or null if it matches no step around `at`.
 */
export function stepOfCode(secret: string, code: string, at: Date): number | null {
  const totp = new TOTP({ ...SETTINGS, secret: Secret.fromBase32(secret) });
  const off = totp.validate({ token: code, timestamp: at.getTime(), window: STEPS_OFF });
  return off === null ? null : Math.floor(at.getTime() / 1000 / STEP_SECONDS) + off;
}

/** Ten new codes of 80 random bits, in four groups of four: "7QK3-W0ZD-…". */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => newCode());
}

/** Hash of a code, as stored. Ignores case, spaces and dashes, and reads look-alike letters as digits. */
export function hashRecoveryCode(customerId: string, code: string): Buffer {
  const plain = code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
  return createHash("sha256").update(`${customerId}:${plain}`).digest();
}

function newCode(): string {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString("hex")}`);
  let code = "";
  for (let at = 0; at < 16; at += 1) {
    code += ALPHABET[Number(bits & 31n)];
    bits >>= 5n;
  }
  return code.replace(/(.{4})(?=.)/g, "$1-");
}
