import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";

const IV_BYTES = 12;

const TAG_BYTES = 16;

const TOKEN_BYTES = 32;

/**
 * Encrypts a value for storage.
 * @param key 32 bytes, only for this use
 * @param owner bound to the value, so that it cannot be moved to another owner
 */
export function sealValue(key: Buffer, value: string, owner: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

/** Decrypts a sealed value. @throws Error when the key or owner differs, or the value was changed */
export function openValue(key: Buffer, sealed: Buffer, owner: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES)).setAAD(Buffer.from(owner));
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

/** A new secret of 256 random bits. Only its hash is stored. The prefix lets secret scanners recognise this service's tokens. */
export function newToken(prefix: "fl_" | "fo_"): string {
  return prefix + randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Hash of a token, as stored. A fast hash is enough for 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
