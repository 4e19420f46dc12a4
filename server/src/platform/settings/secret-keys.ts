import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;
const ID_BYTES = 16;
/** 64 characters. Programs that make a link of plain text often leave out dashes and underscores at its end. */
const TOKEN = /^[A-Za-z0-9_-]{48,64}$/;
const LEFT_OUT = /^[_-]*$/;

/** One of the service's own secrets. Stored values name the key they were made with by its id. */
export interface SecretKey {
  readonly id: string;
  /** 32 random bytes. Never used directly: each use derives its own key. */
  readonly secret: Buffer;
}

/** New values use the first key; the others still open older values, so that keys can be rotated. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

/** Derives a key for one use (RFC 5869), so that values made for one use are invalid for any other. */
export function deriveKey(key: SecretKey, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key.secret, "", `farline ${use}`, KEY_BYTES));
}

/**
 * The token of a link in a mail: its record's id and a MAC. It is never stored, neither in the record nor in the queued mail,
 * but derived again from the id when the mail is sent.
 * @param id a random UUID (version 4), whose 122 bits cannot be guessed
 * @param use what the link is for; the token is invalid for any other use
 */
export function linkToken(keys: SecretKeys, use: string, id: string): string {
  return Buffer.concat([uuidBytes(id), mac(keys[0], use, id)]).toString("base64url");
}

/** The token's record id, or null if the service did not make it for this use. */
export function readLinkToken(keys: SecretKeys, use: string, token: string): string | null {
  if (!TOKEN.test(token)) return null;
  const id = uuidText(Buffer.from(token, "base64url").subarray(0, ID_BYTES));
  return keys.some((key) => isToken(token, linkToken([key], use, id))) ? id : null;
}

/** Whether this is the token that was made, compared in constant time. */
function isToken(token: string, made: string): boolean {
  const isStart = timingSafeEqual(Buffer.from(token), Buffer.from(made.slice(0, token.length)));
  return isStart && LEFT_OUT.test(made.slice(token.length));
}

const CODE_SPACE = 1_000_000;

/** Six digits that stand for a link where they can be typed. Like its token, they are stored nowhere, but derived from the id. */
export function linkCode(keys: SecretKeys, use: string, id: string): string {
  return codeOf(keys[0], use, id);
}

/** Whether it is the link's code, compared in constant time. */
export function isLinkCode(
  keys: SecretKeys,
  { use, id, code }: { readonly use: string; readonly id: string; readonly code: string },
): boolean {
  if (!/^\d{6}$/.test(code)) return false;
  const given = Buffer.from(code);
  return keys.map((key) => timingSafeEqual(Buffer.from(codeOf(key, use, id)), given)).includes(true);
}

function codeOf(key: SecretKey, use: string, id: string): string {
  // 48 bits over a million codes: no code is noticeably likelier than another.
  const number = mac(key, `${use} code`, id).readUIntBE(0, 6) % CODE_SPACE;
  return String(number).padStart(6, "0");
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
