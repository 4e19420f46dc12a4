import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;
const ID_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{64}$/;

/** One of the service's own secrets. The id says which one made something that is stored. */
export interface SecretKey {
  readonly id: string;
  /** 32 random bytes. Never used itself: each use derives its own key from it. */
  readonly secret: Buffer;
}

/** The first key makes what is new; the others still open what they made, so that a key can be replaced. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

/** A key for one use alone (RFC 5869), so that what is made for one use says nothing about another. */
export function deriveKey(key: SecretKey, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key.secret, "", `farline ${use}`, KEY_BYTES));
}

/**
 * The token of a link in a mail: the id of its record and a MAC over it. The token stands nowhere, neither in the record
 * nor in the mail that waits to be sent: it is made again from the id when the mail goes out.
 * @param id a random UUID (version 4), 122 bits nobody can guess
 * @param use what the link is for; a token is worth nothing for another use
 */
export function linkToken(keys: SecretKeys, use: string, id: string): string {
  return Buffer.concat([uuidBytes(id), mac(keys[0], use, id)]).toString("base64url");
}

/** The record's id in a token, or null when we did not make that token for this use. */
export function readLinkToken(keys: SecretKeys, use: string, token: string): string | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  const id = uuidText(bytes.subarray(0, ID_BYTES));
  const given = bytes.subarray(ID_BYTES);
  return keys.some((key) => timingSafeEqual(mac(key, use, id), given)) ? id : null;
}

function mac(key: SecretKey, use: string, id: string): Buffer {
  return createHmac("sha256", deriveKey(key, `link ${use}`))
    .update(uuidBytes(id))
    .digest();
}

function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

function uuidText(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
