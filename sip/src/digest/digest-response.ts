import { createHash } from "node:crypto";

/** Algorithms that we answer, strongest first, with Node's names of their hashes (RFC 7616 §6.1, RFC 8760 §2.1). */
const HASHES: ReadonlyMap<string, string> = new Map([
  ["SHA-512-256", "sha512-256"],
  ["SHA-256", "sha256"],
  ["MD5", "md5"],
]);
const SESSION_SUFFIX = "-SESS";

export const DEFAULT_ALGORITHM = "MD5";

interface DigestInput {
  /** For example `SHA-256` or `MD5-sess`, in any case. */
  readonly algorithm: string;
  readonly username: string;
  readonly password: string;
  readonly realm: string;
  readonly nonce: string;
  readonly method: string;
  /** The Request-URI with port and parameters, as on the request line. */
  readonly uri: string;
  /** Null for a peer of RFC 2069. */
  readonly qop: { readonly cnonce: string; readonly nonceCount: string } | null;
  /** Of -sess without qop, and of the first request of a session. */
  readonly cnonce?: string;
}

/** Smaller is stronger; null for an algorithm that we do not know. */
export function strengthOf(algorithm: string): number | null {
  const { name } = splitAlgorithm(algorithm);
  const rank = [...HASHES.keys()].indexOf(name);
  return rank === -1 ? null : rank;
}

/** The `response` parameter with qop=auth or without (RFC 7616 §3.4.1, RFC 2617 §3.2.2.1). The algorithm must be a known one. */
export function digestResponse(input: DigestInput): string {
  const { name, session } = splitAlgorithm(input.algorithm);
  const hash = (...parts: string[]): string =>
    createHash(HASHES.get(name) ?? "md5")
      .update(parts.join(":"))
      .digest("hex");
  const { username, realm, password, nonce, method, uri, qop } = input;
  const user = hash(username, realm, password);
  const a1 = session ? hash(user, nonce, qop?.cnonce ?? input.cnonce ?? "") : user;
  const a2 = hash(method, uri);
  return qop === null ? hash(a1, nonce, a2) : hash(a1, nonce, qop.nonceCount, qop.cnonce, "auth", a2);
}

function splitAlgorithm(algorithm: string): { name: string; session: boolean } {
  const upper = algorithm.toUpperCase();
  const session = upper.endsWith(SESSION_SUFFIX);
  return { name: session ? upper.slice(0, -SESSION_SUFFIX.length) : upper, session };
}
