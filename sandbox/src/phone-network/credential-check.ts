import { randomBytes } from "node:crypto";
import { DigestServer } from "@farline/sip/digest/digest-server.ts";
import { parseAuthValues } from "@farline/sip/digest/challenge.ts";
import type { SipMessage, SipRequest } from "@farline/sip/message/message.ts";
import type { Quirks } from "./carrier-quirks.ts";

/** The user and password of the numbers that demand credentials. */
const ACCOUNT = "sandbox";
/** Weakest first, so that a caller must look for the strongest. */
const ALGORITHMS = ["MD5", "SHA-256"];
const FIRST_USE = "00000001";

interface CredentialRefusal {
  readonly status: number;
  readonly reason: string;
  readonly headers: SipMessage["headers"];
}

/** Checks the credentials that some numbers demand (RFC 3261 §22). */
export class CredentialCheck {
  readonly #server = digestServer("sandbox.invalid");
  readonly #proxy = digestServer("proxy.sandbox.invalid");

  /** @returns null if the request may pass */
  refusalOf(request: SipRequest, demand: NonNullable<Quirks["credentials"]>): CredentialRefusal | null {
    if (demand === "proxy-then-server") {
      const refusal = verify(this.#proxy, request, "proxy-authorization");
      if (refusal !== null) return refusal;
    }
    const refusal = verify(this.#server, request, "authorization");
    if (refusal !== null || demand !== "single-use") return refusal;
    const [credentials] = parseAuthValues(request.headers.get("authorization") ?? []);
    return credentials?.parameters.get("nc") === FIRST_USE ? null : forbidden;
  }
}

const forbidden: CredentialRefusal = { status: 403, reason: "Forbidden", headers: new Map() };

function verify(
  server: DigestServer,
  request: SipRequest,
  header: "authorization" | "proxy-authorization",
): CredentialRefusal | null {
  const verdict = server.verify(request, header);
  if (verdict === "accepted") return null;
  if (verdict === "wrong") return forbidden;
  const challenges = server.challenges(verdict === "stale");
  return header === "authorization"
    ? { status: 401, reason: "Unauthorized", headers: new Map([["www-authenticate", challenges]]) }
    : { status: 407, reason: "Proxy Authentication Required", headers: new Map([["proxy-authenticate", challenges]]) };
}

function digestServer(realm: string): DigestServer {
  return new DigestServer({
    realm,
    algorithms: ALGORITHMS,
    passwordOf: (username) => (username === ACCOUNT ? ACCOUNT : null),
    newNonce: () => randomBytes(16).toString("hex"),
  });
}
