import { randomUUID } from "node:crypto";
import type { SipRequest, SipResponse, Via } from "@farline/sip/message/message.ts";
import { parseNameAddress } from "@farline/sip/message/name-address.ts";
import { header } from "@farline/sip/message/response.ts";
import { parseSipUri } from "@farline/sip/message/uri.ts";
import { accountAddress } from "../caller-identity.ts";
import { nameAddress, newRequest } from "../trunk-requests.ts";
import { sipUri } from "../trunk-uri.ts";
import type { TrunkConfig } from "../trunk.ts";
import type { RegistrarAnswer } from "./registration.ts";

/** Builds the REGISTER requests of one registration, with one Call-ID and increasing CSeq (RFC 3261 §10.2). */
export class RegisterRequests {
  readonly #trunk: TrunkConfig;
  readonly #contact: string;
  readonly #callId = randomUUID();
  readonly #tag = randomUUID();
  #cseq = 0;

  constructor(trunk: TrunkConfig, contact: string) {
    this.#trunk = trunk;
    this.#contact = contact;
  }

  next(via: Via, seconds: number): SipRequest {
    const { host, port } = this.#trunk.registrar ?? this.#trunk;
    const account = accountAddress(this.#trunk, "");
    this.#cseq += 1;
    return newRequest({
      method: "REGISTER",
      uri: sipUri("", host, port),
      via,
      from: nameAddress(account, this.#tag),
      to: nameAddress(account),
      callId: this.#callId,
      cseq: this.#cseq,
      headers: new Map([
        ["contact", [this.#contact]],
        ["expires", [String(seconds)]],
      ]),
    });
  }
}

/**
 * @param contact the value of our Contact header
 * @param requestedSeconds assumed if the response does not name an expiry
 */
export function registrarAnswer(response: SipResponse, contact: string, requestedSeconds: number): RegistrarAnswer {
  const { status } = response;
  const granted =
    grantedTo(contact, response.headers.get("contact") ?? []) ?? secondsOf(header(response, "expires")) ?? requestedSeconds;
  return {
    status,
    grantedSeconds: status >= 200 && status < 300 ? granted : null,
    minSeconds: secondsOf(header(response, "min-expires")),
    retryAfterSeconds: status >= 300 ? secondsOf(header(response, "retry-after")) : null,
  };
}

/**
 * The expiry of our own binding among all of the account (RFC 3261 §10.2.4). Registrars rewrite addresses behind translators, so of those
 * that may be ours the first to lapse counts.
 */
function grantedTo(contact: string, bindings: readonly string[]): number | null {
  const ours = parseSipUri(parseNameAddress(contact)?.uri ?? "");
  const parsed = bindings.flatMap((text) => {
    const address = parseNameAddress(text);
    const uri = parseSipUri(address?.uri ?? "");
    const expires = address?.parameters.get("expires");
    return uri === null ? [] : [{ uri, seconds: typeof expires === "string" ? secondsOf(expires) : null }];
  });
  const exact = parsed.find(({ uri }) => uri.user === ours?.user && uri.host === ours?.host && uri.port === ours?.port);
  if (exact !== undefined) return exact.seconds;
  // One that ends is of an earlier address of ours.
  const left = parsed.filter(({ seconds }) => seconds !== 0);
  const [samePort, sameUser] = [
    left.filter(({ uri }) => uri.user === ours?.user && uri.port === ours?.port),
    left.filter(({ uri }) => uri.user === ours?.user),
  ];
  const candidates = [samePort, sameUser, left.length === 1 ? left : []].find((some) => some.length > 0) ?? [];
  const seconds = candidates.map((each) => each.seconds);
  return seconds.length === 0 || seconds.includes(null) ? null : Math.min(...seconds.map(Number));
}

function secondsOf(text: string | undefined): number | null {
  const digits = /^\s*(\d{1,9})/.exec(text ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}
