import type { SipRequest, SipResponse } from "../message/message.ts";
import { parseAuthValues, writeCredentials } from "./challenge.ts";
import { DEFAULT_ALGORITHM, digestResponse, strengthOf } from "./digest-response.ts";

interface DigestAccount {
  readonly username: string;
  readonly password: string;
}

interface Challenge {
  readonly algorithm: string | undefined;
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  readonly qop: boolean;
  readonly stale: boolean;
}

type CredentialsHeader = "authorization" | "proxy-authorization";

/** Challenge headers with the headers that answer them. One response may have both (RFC 3261 §22.3). */
const ANSWERS: readonly (readonly [string, CredentialsHeader])[] = [
  ["www-authenticate", "authorization"],
  ["proxy-authenticate", "proxy-authorization"],
];
const CHALLENGE_STATUSES = new Set([401, 407]);
const FORBIDDEN = 403;
/** Of one request: each proxy and server on the way may challenge, and call a nonce stale. */
const MAX_ROUNDS = 5;
/** Realms whose last challenge is kept, and nonces whose uses are counted. */
const MAX_REALMS = 4;
const MAX_NONCES = 8;
/** Request a fresh nonce after this many uses. */
const MAX_USES = 1_000;

/** One account's answers to digest challenges (RFC 7616, RFC 8760, RFC 3261 §22). Remembers challenges for later requests. */
export class DigestClient {
  readonly #account: DigestAccount;
  readonly #newCnonce: () => string;
  /** The last challenges by header and realm. */
  readonly #known = new Map<string, Challenge>();
  readonly #uses = new Map<string, number>();

  /** @param newCnonce returns a random string for each use (RFC 7616 §3.4) */
  constructor(account: DigestAccount, newCnonce: () => string) {
    this.#account = account;
    this.#newCnonce = newCnonce;
  }

  /** Begins a request, with credentials for challenges of earlier requests, which saves a round trip (RFC 7616 §3.6). */
  begin(request: Pick<SipRequest, "method" | "uri">): DigestAttempt {
    for (const [key, { nonce }] of this.#known) if ((this.#uses.get(nonce) ?? 0) >= MAX_USES) this.#known.delete(key);
    return new DigestAttempt(request, new Map(this.#known), {
      credentials: (target, challenge) => this.#credentials(target, challenge),
      remember: (key, challenge) => keep(this.#known, key, challenge, MAX_REALMS),
      forget: (key) => this.#known.delete(key),
    });
  }

  #credentials({ method, uri }: Pick<SipRequest, "method" | "uri">, challenge: Challenge): string {
    const { username, password } = this.#account;
    const { realm, nonce, opaque } = challenge;
    const cnonce = this.#newCnonce();
    const qop = challenge.qop ? { cnonce, nonceCount: this.#count(nonce) } : null;
    const algorithm = challenge.algorithm ?? DEFAULT_ALGORITHM;
    const response = digestResponse({ algorithm, username, password, realm, nonce, method, uri, qop, cnonce });
    const parameters = Object.entries({
      username,
      realm,
      nonce,
      uri,
      response,
      algorithm: challenge.algorithm,
      opaque,
      ...(qop === null ? {} : { qop: "auth", nc: qop.nonceCount }),
      cnonce: qop !== null || algorithm.toLowerCase().endsWith("-sess") ? cnonce : undefined,
    });
    const stated = parameters.filter((entry): entry is [string, string] => entry[1] !== undefined);
    return writeCredentials({ scheme: "digest", parameters: new Map(stated) });
  }

  /** Counts a use of the nonce. Returns the count as eight hexadecimal digits. */
  #count(nonce: string): string {
    const count = (this.#uses.get(nonce) ?? 0) + 1;
    keep(this.#uses, nonce, count, MAX_NONCES);
    return count.toString(16).padStart(8, "0");
  }
}

interface ClientMemory {
  credentials(request: Pick<SipRequest, "method" | "uri">, challenge: Challenge): string;
  remember(key: string, challenge: Challenge): void;
  forget(key: string): void;
}

/** The rounds of one request: it is sent with `headers`, and again as often as `next` says so. */
export class DigestAttempt {
  readonly #request: Pick<SipRequest, "method" | "uri">;
  readonly #memory: ClientMemory;
  /** Challenges answered in the next round, by header and realm. */
  readonly #challenges: Map<string, Challenge>;
  /** Those that this request was challenged with, so that a second refusal is final. */
  readonly #answered = new Set<string>();
  #rounds = 0;
  #headers: ReadonlyMap<CredentialsHeader, readonly string[]>;

  constructor(request: Pick<SipRequest, "method" | "uri">, challenges: Map<string, Challenge>, memory: ClientMemory) {
    this.#request = request;
    this.#challenges = challenges;
    this.#memory = memory;
    this.#headers = this.#write();
  }

  /** The credentials to send, one value for each realm. */
  get headers(): ReadonlyMap<CredentialsHeader, readonly string[]> {
    return this.#headers;
  }

  /**
   * Takes the final response. Returns whether to send the request again, with the new `headers`. Credentials of an earlier challenge that
   * get a 403 are left out once. False if the response is no refusal of credentials, or the password is wrong.
   */
  next(response: SipResponse): boolean {
    this.#rounds += 1;
    if (this.#rounds >= MAX_ROUNDS) return false;
    const again = response.status === FORBIDDEN ? this.#dropEarlier() : this.#takeChallenges(response);
    if (again) this.#headers = this.#write();
    return again;
  }

  #dropEarlier(): boolean {
    const again = this.#challenges.size > 0 && this.#answered.size === 0;
    for (const key of this.#challenges.keys()) this.#memory.forget(key);
    this.#challenges.clear();
    return again;
  }

  #takeChallenges(response: SipResponse): boolean {
    if (!CHALLENGE_STATUSES.has(response.status)) return false;
    const challenges = challengesOf(response);
    for (const [key, challenge] of challenges) {
      if (this.#answered.has(key) && !challenge.stale) {
        this.#memory.forget(key);
        return false;
      }
      this.#answered.add(key);
      this.#challenges.set(key, challenge);
      this.#memory.remember(key, challenge);
    }
    return challenges.size > 0;
  }

  #write(): Map<CredentialsHeader, string[]> {
    const headers = new Map<CredentialsHeader, string[]>();
    for (const [key, challenge] of this.#challenges) {
      const header = key.slice(0, key.indexOf(" ")) as CredentialsHeader;
      headers.set(header, [...(headers.get(header) ?? []), this.#memory.credentials(this.#request, challenge)]);
    }
    return headers;
  }
}

/** The strongest challenge of each realm that we can answer (RFC 8760 §2.4), by header and realm. */
function challengesOf(response: SipResponse): Map<string, Challenge> {
  const best = new Map<string, Challenge>();
  for (const [header, answer] of ANSWERS)
    for (const { scheme, parameters } of parseAuthValues(response.headers.get(header) ?? [])) {
      const challenge = scheme === "digest" ? readChallenge(parameters) : null;
      if (challenge === null) continue;
      const key = `${answer} ${challenge.realm}`;
      const rival = best.get(key);
      if (rival === undefined || rank(challenge) < rank(rival)) best.set(key, challenge);
    }
  return new Map([...best].slice(0, MAX_REALMS));
}

/** Null if an algorithm or quality of protection is demanded that we do not know. */
function readChallenge(parameters: ReadonlyMap<string, string>): Challenge | null {
  const [realm, nonce, qop] = [parameters.get("realm"), parameters.get("nonce"), parameters.get("qop")];
  const algorithm = parameters.get("algorithm");
  if (realm === undefined || nonce === undefined || strengthOf(algorithm ?? DEFAULT_ALGORITHM) === null) return null;
  const offered = (qop ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((option) => option !== "");
  if (offered.length > 0 && !offered.includes("auth")) return null;
  const stale = parameters.get("stale")?.toLowerCase() === "true";
  return { algorithm, realm, nonce, opaque: parameters.get("opaque"), qop: offered.length > 0, stale };
}

function rank({ algorithm }: Challenge): number {
  return strengthOf(algorithm ?? DEFAULT_ALGORITHM) ?? Number.POSITIVE_INFINITY;
}

/** Sets an entry as the newest, and drops the oldest above the limit. */
function keep<Value>(entries: Map<string, Value>, key: string, value: Value, max: number): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > max && oldest !== undefined) entries.delete(oldest);
}
