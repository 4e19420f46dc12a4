import { createHash, randomBytes } from "node:crypto";
import type { IncomingResponseMessage, OutgoingRequestMessage } from "sip.js/lib/core/index.js";

/** Hashes of RFC 8760, the strongest first, by the names in challenges. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ["SHA-256", "sha256"],
  ["MD5", "md5"],
]);
const DEFAULT_ALGORITHM = "MD5";
/** Nonces whose uses are counted: those of REGISTER and INVITE, with some of requests on their way. */
const MAX_NONCES = 8;
/** Then the carrier is asked for a new one. */
const MAX_USES = 1_000;

/** A parsed WWW-Authenticate or Proxy-Authenticate header. */
export interface Challenge {
  readonly algorithm?: string;
  readonly realm?: string;
  readonly nonce?: string;
  readonly opaque?: string;
  readonly qop?: readonly string[];
}

interface Remembered {
  readonly header: "Authorization" | "Proxy-Authorization";
  readonly challenge: Challenge;
}

/**
 * Answers a trunk's digest challenges (RFC 8760, RFC 3261 §22.4) in place of the library's own, which knows only MD5, and sends the next
 * INVITE with credentials for the last nonce (RFC 7616 §3.6), which saves a round trip a call.
 */
export class DigestCredentials {
  readonly #username: string;
  readonly #password: string;
  readonly #uses = new Map<string, number>();
  #header = "";
  #remembered: Remembered | null = null;

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
    // As it stands in the request line: a host in capitals too.
    const uri = request.ruri.toRaw();
    const secret = digest(`${this.#username}:${realm}:${this.#password}`);
    const asked = digest(`${request.method}:${uri}`);
    const count = this.#count(nonce);
    const cnonce = randomBytes(12).toString("hex");
    const response = digest(
      qop === undefined ? `${secret}:${nonce}:${asked}` : `${secret}:${nonce}:${count}:${cnonce}:auth:${asked}`,
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

  /** The Authorization header of the challenge that was answered last. */
  toString(): string {
    return this.#header;
  }

  /** Adds credentials to a request that has not been challenged yet. */
  authorise(request: OutgoingRequestMessage): void {
    const remembered = this.#remembered;
    if (remembered === null) return;
    if ((this.#uses.get(remembered.challenge.nonce ?? "") ?? 0) >= MAX_USES) this.#remembered = null;
    else if (this.authenticate(request, remembered.challenge)) request.setHeader(remembered.header, this.#header);
  }

  /** Remembers the challenge in a response to an INVITE; a refusal of the credentials makes the next request wait for one. */
  learn(response: IncomingResponseMessage): void {
    if (response.method !== "INVITE") return;
    if (response.statusCode === 401) this.#remember("Authorization", response.parseHeader("www-authenticate"));
    else if (response.statusCode === 407) this.#remember("Proxy-Authorization", response.parseHeader("proxy-authenticate"));
    else if (response.statusCode === 403) this.#remembered = null;
  }

  #remember(header: Remembered["header"], challenge: Challenge | undefined): void {
    if (challenge !== undefined) this.#remembered = { header, challenge };
  }

  /** How often the nonce has been used, as eight hexadecimal digits. */
  #count(nonce: string): string {
    const count = (this.#uses.get(nonce) ?? 0) + 1;
    this.#uses.delete(nonce);
    this.#uses.set(nonce, count);
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > MAX_NONCES && oldest !== undefined) this.#uses.delete(oldest);
    return count.toString(16).padStart(8, "0");
  }
}

/** Of several challenges, leaves the strongest that we can answer, because the library looks at one only (RFC 8760 §2.4). */
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
