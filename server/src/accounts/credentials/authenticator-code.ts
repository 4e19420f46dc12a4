import { Secret, TOTP } from "otpauth";

const ISSUER = "Farline";
const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
/** Also accepts the previous and the next step, because clocks differ. */
const STEPS_OFF = 1;
const SETTINGS = { issuer: ISSUER, algorithm: "SHA1", digits: 6, period: STEP_SECONDS };

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
