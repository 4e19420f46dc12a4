import { createHash, randomUUID } from "node:crypto";
import type { SipRequest, SipResponse, Via } from "@farline/sip/message/message.ts";
import { parseNameAddress } from "@farline/sip/message/name-address.ts";
import { header } from "@farline/sip/message/response.ts";
import { parseSipUri } from "@farline/sip/message/uri.ts";
import { accountAddress } from "../caller-identity.ts";
import { nameAddress, newRequest } from "../trunk-requests.ts";
import { sipUri } from "../trunk-uri.ts";
import type { TrunkConfig } from "../trunk.ts";
import type { RegistrarAnswer } from "./registration.ts";

const MAX_ROUTES = 8;

/** Builds the REGISTER requests of one registration, with one Call-ID and increasing CSeq (RFC 3261 §10.2). */
export class RegisterRequests {
  readonly #trunk: TrunkConfig;
  readonly #contact: string;
  readonly #instance: string;
  readonly #callId = randomUUID();
  readonly #tag = randomUUID();
  #cseq = 0;
  /** Asks that requests to us use the flow of the REGISTER (RFC 5626 §4.2). */
  #wantsFlow: boolean;

  constructor(trunk: TrunkConfig, contact: string, place: string) {
    this.#trunk = trunk;
    this.#contact = contact;
    this.#instance = instanceOf(`${place} ${trunk.name}`);
    this.#wantsFlow = trunk.transport !== "udp";
  }

  /** The Contact of the registrations. */
  get contact(): string {
    return `${this.#contact};+sip.instance="<${this.#instance}>"${this.#wantsFlow ? ";reg-id=1" : ""}`;
  }

  /** The first hop cannot keep a flow (439, RFC 5626 §6): registers without one from now on. Returns whether that is new. */
  dropFlow(): boolean {
    const wanted = this.#wantsFlow;
    this.#wantsFlow = false;
    return wanted;
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
        ["contact", [this.contact]],
        ["expires", [String(seconds)]],
        // Proxies on the way may add themselves to the binding (RFC 3327 §5.1).
        ["supported", this.#wantsFlow ? ["path", "outbound"] : ["path"]],
      ]),
    });
  }
}

/** The same after a restart, so that a new binding replaces the old one (RFC 5626 §4.1). A UUID by name (RFC 9562 §5.8). */
function instanceOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The proxies through which the registrar wants our requests (RFC 3608 §5). */
export function serviceRoute(response: SipResponse): string[] {
  const uris = (response.headers.get("service-route") ?? [])
    .slice(0, MAX_ROUTES)
    .map((value) => parseNameAddress(value)?.uri ?? "");
  return uris.every((uri) => parseSipUri(uri) !== null) ? uris : [];
}

/** Whether requests to us use the flow of the REGISTER (RFC 5626 §6), and how often the first hop must hear from us. */
export function agreedFlow(response: SipResponse): { readonly seconds: number | null } | null {
  const requires = (response.headers.get("require") ?? []).map((tag) => tag.toLowerCase());
  return requires.includes("outbound") ? { seconds: secondsOf(header(response, "flow-timer")) } : null;
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
  const own = parseNameAddress(contact);
  const ours = parseSipUri(own?.uri ?? "");
  const instance = own?.parameters.get("+sip.instance");
  const parsed = bindings.flatMap((text) => {
    const address = parseNameAddress(text);
    const uri = parseSipUri(address?.uri ?? "");
    const expires = address?.parameters.get("expires");
    const isOurs = instance !== undefined && address?.parameters.get("+sip.instance") === instance;
    return uri === null ? [] : [{ uri, isOurs, seconds: typeof expires === "string" ? secondsOf(expires) : null }];
  });
  const exact =
    parsed.find(({ isOurs }) => isOurs) ??
    parsed.find(({ uri }) => uri.user === ours?.user && uri.host === ours?.host && portOf(uri) === portOf(ours));
  if (exact !== undefined) return exact.seconds;
  // One that ends is of an earlier address of ours.
  const left = parsed.filter(({ seconds }) => seconds !== 0);
  const [samePort, sameUser] = [
    left.filter(({ uri }) => uri.user === ours?.user && portOf(uri) === portOf(ours)),
    left.filter(({ uri }) => uri.user === ours?.user),
  ];
  const candidates = [samePort, sameUser, left.length === 1 ? left : []].find((some) => some.length > 0) ?? [];
  const seconds = candidates.map((each) => each.seconds);
  return seconds.length === 0 || seconds.includes(null) ? null : Math.min(...seconds.map(Number));
}

/** Registrars leave out the usual port (RFC 3261 §19.1.2). */
function portOf(uri: ReturnType<typeof parseSipUri>): number {
  return uri?.port ?? (uri?.parameters.get("transport")?.toLowerCase() === "tls" ? 5_061 : 5_060);
}

function secondsOf(text: string | undefined): number | null {
  const digits = /^\s*(\d{1,9})/.exec(text ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}
