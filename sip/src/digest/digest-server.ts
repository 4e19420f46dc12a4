import { timingSafeEqual } from "node:crypto";
import type { SipRequest } from "../message/message.ts";
import { sameUri } from "../message/uri.ts";
import { parseAuthValues, writeChallenge } from "./challenge.ts";
import { DEFAULT_ALGORITHM, digestResponse } from "./digest-response.ts";

interface DigestServerOptions {
  readonly realm: string;
  /** In the order of preference (RFC 8760 §2.3). */
  readonly algorithms: readonly string[];
  readonly passwordOf: (username: string) => string | null;
  /** Returns an unguessable string for each challenge. */
  readonly newNonce: () => string;
}

/** `stale`: the credentials are right, but their nonce or its count is not current. */
export type Verdict = "accepted" | "missing" | "stale" | "wrong";

const MAX_NONCES = 1_000;
const NONCE_COUNT = /^[0-9a-f]{8}$/i;

/** Challenges requests and verifies their credentials (RFC 7616 §3.3, RFC 3261 §22.2), as a user agent server or a proxy. */
export class DigestServer {
  readonly #options: DigestServerOptions;
  /** The highest count of each nonce in use, the oldest nonce first. */
  readonly #counts = new Map<string, number>();

  constructor(options: DigestServerOptions) {
    this.#options = options;
  }

  /** The values of WWW-Authenticate or Proxy-Authenticate, one for each algorithm. */
  challenges(stale = false): string[] {
    const nonce = this.#options.newNonce();
    this.#counts.set(nonce, 0);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_NONCES && oldest !== undefined) this.#counts.delete(oldest);
    return this.#options.algorithms.map((algorithm) => {
      const parameters = new Map([
        ["realm", this.#options.realm],
        ["nonce", nonce],
        ["algorithm", algorithm],
        ["qop", "auth"],
      ]);
      if (stale) parameters.set("stale", "true");
      return writeChallenge({ scheme: "digest", parameters });
    });
  }

  /** Verifies the credentials for our realm. Each nonce count is accepted once. */
  verify(request: SipRequest, header: "authorization" | "proxy-authorization"): Verdict {
    const values = parseAuthValues(request.headers.get(header) ?? []);
    const own = values.find(({ scheme, parameters }) => scheme === "digest" && parameters.get("realm") === this.#options.realm);
    if (own === undefined) return "missing";
    if (!this.#isRight(own.parameters, request)) return "wrong";
    const nonce = own.parameters.get("nonce") ?? "";
    const count = Number.parseInt(own.parameters.get("nc") ?? "1", 16);
    const highest = this.#counts.get(nonce);
    if (highest === undefined || count <= highest) return "stale";
    this.#counts.set(nonce, count);
    return "accepted";
  }

  #isRight(parameters: ReadonlyMap<string, string>, request: SipRequest): boolean {
    const of = (name: string): string => parameters.get(name) ?? "";
    const algorithm = parameters.get("algorithm") ?? DEFAULT_ALGORITHM;
    const password = this.#options.passwordOf(of("username"));
    const offered = this.#options.algorithms.some((own) => own.toLowerCase() === algorithm.toLowerCase());
    if (password === null || !offered || !sameUri(of("uri"), request.uri)) return false;
    const qop = parameters.has("qop") ? { cnonce: of("cnonce"), nonceCount: of("nc") } : null;
    if (qop !== null && (of("qop").toLowerCase() !== "auth" || !NONCE_COUNT.test(qop.nonceCount))) return false;
    const expected = digestResponse({
      algorithm,
      username: of("username"),
      password,
      realm: this.#options.realm,
      nonce: of("nonce"),
      method: request.method,
      uri: of("uri"),
      qop,
      cnonce: of("cnonce"),
    });
    const [given, right] = [Buffer.from(of("response").toLowerCase()), Buffer.from(expected)];
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
