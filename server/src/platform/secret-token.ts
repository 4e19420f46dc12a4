import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** A new secret of 256 random bits. Only its hash is stored. The prefix lets secret scanners recognise this service's tokens. */
export function newToken(prefix: "fl_" | "fo_"): string {
  return prefix + randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Hash of a token, as stored. A fast hash is enough for 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
