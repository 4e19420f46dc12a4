import { createHash, randomBytes } from "node:crypto";

/** Lets secret scanners recognise tokens of this service. */
const PREFIX = "fl_";
const TOKEN_BYTES = 32;
const TOKEN = /^fl_[A-Za-z0-9_-]{43}$/;

/** A new session token: 256 random bits. Only its hash is stored. */
export function newToken(): string {
  return PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Hash of a token, as stored. A fast hash is enough for 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The token of an `Authorization: Bearer` header, or null if it has none of ours. */
export function bearerToken(header: string | undefined): string | null {
  const token = /^bearer ([^\s]+)$/i.exec(header ?? "")?.[1];
  return token !== undefined && TOKEN.test(token) ? token : null;
}
