import { createHash, randomBytes } from "node:crypto";
import type { IncomingResponseMessage, OutgoingRequestMessage } from "sip.js/lib/core/index.js";
import { dropOldest } from "../drop-oldest.ts";

/** Node's hash names by the algorithm names of RFC 8760, strongest first. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ["SHA-256", "sha256"],
  ["MD5", "md5"],
]);
const DEFAULT_ALGORITHM = "MD5";
/** Nonces whose uses are counted: those of REGISTER and INVITE, and some of requests in flight. */
const MAX_NONCES = 8;
/** Request a fresh nonce after this many uses. */
const MAX_USES = 1_000;

/** A parsed WWW-Authenticate or Proxy-Authenticate header. */
export interface Challenge {
  readonly algorithm?: string;
  readonly realm?: string;
  readonly nonce?: string;
  readonly opaque?: string;
  readonly qop?: readonly string[];
}

interface StoredChallenge {
  readonly header: "Authorization" | "Proxy-Authorization";
  readonly challenge: Challenge;
}

/**
 * Answers a trunk's digest challenges (RFC 8760, RFC 3261 §22.4), because sip.js supports only MD5. Sends each INVITE with credentials
 * for the last nonce (RFC 7616 §3.6), which saves a round trip per call.
 */
export class DigestCredentials {
  readonly #username: string;
  readonly #password: string;
  readonly #uses = new Map<string, number>();
  #header = "";
  #challenge: StoredChallenge | null = null;

  constructor(username: string, password: string) {
    this.#username = username;
    this.#password = password;
  }

  /** @returns false when the challenge cannot be answered. */
  authenticate(request: Pick<OutgoingRequestMessage, "method" | "ruri">, challenge: Challenge): boolean {
    const { realm, nonce, opaque, qop } = challenge;
    const algorithm = (challenge.algorithm ?? DEFAULT_ALGORITHM).toUpperCase();
    const hash = HASHES.get(algorithm);
    if (hash === undefined || realm === undefined || nonce === undefined || (qop !== undefined && !qop.includes("auth")))
      return false;
    const digest = (text: string): string => createHash(hash).update(text).digest("hex");
    // As in the request line, with the host's original case.
    const uri = request.ruri.toRaw();
    const userHash = digest(`${this.#username}:${realm}:${this.#password}`);
    const requestHash = digest(`${request.method}:${uri}`);
    const count = this.#count(nonce);
    const cnonce = randomBytes(12).toString("hex");
    const response = digest(
      qop === undefined ? `${userHash}:${nonce}:${requestHash}` : `${userHash}:${nonce}:${count}:${cnonce}:auth:${requestHash}`,
    );
    this.#header = [
      `Digest algorithm=${algorithm}`,
      `username="${this.#username}"`,
      `realm="${realm}"`,
      `nonce="${nonce}"`,
      `uri="${uri}"`,
      `response="${response}"`,
      ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
      ...(qop === undefined ? [] : ["qop=auth", `cnonce="${cnonce}"`, `nc=${count}`]),
    ].join(", ");
    return true;
  }

  /** The Authorization header that answers the last challenge. */
  toString(): string {
    return this.#header;
  }

  /** Adds credentials to a request before it is challenged. */
  authorise(request: OutgoingRequestMessage): void {
    const stored = this.#challenge;
    if (stored === null) return;
    if ((this.#uses.get(stored.challenge.nonce ?? "") ?? 0) >= MAX_USES) this.#challenge = null;
    else if (this.authenticate(request, stored.challenge)) request.setHeader(stored.header, this.#header);
  }

  /** Stores the challenge of a response to an INVITE. After a 403 the next request waits for a new challenge. */
  storeChallenge(response: IncomingResponseMessage): void {
    if (response.method !== "INVITE") return;
    if (response.statusCode === 401) this.#store("Authorization", response.parseHeader("www-authenticate"));
    else if (response.statusCode === 407) this.#store("Proxy-Authorization", response.parseHeader("proxy-authenticate"));
    else if (response.statusCode === 403) this.#challenge = null;
  }

  #store(header: StoredChallenge["header"], challenge: Challenge | undefined): void {
    if (challenge !== undefined) this.#challenge = { header, challenge };
  }

  /** Counts a use of the nonce. Returns the count as eight hexadecimal digits. */
  #count(nonce: string): string {
    const count = (this.#uses.get(nonce) ?? 0) + 1;
    this.#uses.delete(nonce);
    this.#uses.set(nonce, count);
    dropOldest(this.#uses, MAX_NONCES);
    return count.toString(16).padStart(8, "0");
  }
}

/** Keeps the strongest of several challenges, because sip.js reads only one (RFC 8760 §2.4). */
export function keepBestChallenge(response: IncomingResponseMessage): void {
  for (const name of ["WWW-Authenticate", "Proxy-Authenticate"]) {
    const challenges = response.headers[name];
    if (challenges === undefined || challenges.length < 2) continue;
    const best = [...HASHES.keys()].flatMap((wanted) => challenges.filter(({ raw }) => algorithmOf(raw) === wanted))[0];
    if (best !== undefined) response.headers[name] = [best];
  }
}

function algorithmOf(challenge: string): string {
  return (/[\s,]algorithm\s*=\s*"?([\w-]+)/i.exec(challenge)?.[1] ?? DEFAULT_ALGORITHM).toUpperCase();
}
