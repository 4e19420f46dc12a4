import { randomBytes } from "node:crypto";
import { isIPv4 } from "node:net";
import { formatSip, header, hostOf, parseNameAddress, type SipRequest } from "./sip-message.ts";
import type { ServerTransaction, Source } from "./server-transaction.ts";

/** The dialog that an INVITE creates (RFC 3261 §12), on the called side. */
export class Dialog {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
  readonly #invite: SipRequest;
  readonly #source: Source;
  readonly #routes: readonly string[];
  #remoteTarget: string;
  #remoteCSeq: number;
  #localCSeq = 0;

  constructor(transaction: ServerTransaction) {
    const { request } = transaction;
    this.#invite = request;
    this.#source = transaction.source;
    this.callId = request.callId;
    this.localTag = transaction.localTag;
    this.remoteTag = request.from.tag ?? "";
    this.#routes = request.headers.get("record-route") ?? [];
    this.#remoteTarget = contactOf(request) ?? request.from.uri;
    this.#remoteCSeq = request.cseq.number;
  }

  matches(request: SipRequest): boolean {
    return request.to.tag === this.localTag;
  }

  /** Updates the dialog with a request. Returns false if an equal or higher CSeq was already seen (§12.2.2). */
  advance(request: SipRequest): boolean {
    if (request.cseq.number <= this.#remoteCSeq) return false;
    this.#remoteCSeq = request.cseq.number;
    if (request.method === "INVITE") this.#remoteTarget = contactOf(request) ?? this.#remoteTarget;
    return true;
  }

  /** Builds a request inside the dialog. `local` is our listen address. */
  request(method: string, local: { host: string; port: number }): { branch: string; datagram: Buffer; to: Source } {
    this.#localCSeq += 1;
    const branch = `z9hG4bK${randomBytes(12).toString("hex")}`;
    const { from, to } = this.#invite;
    const datagram = formatSip(`${method} ${this.#remoteTarget} SIP/2.0`, [
      ["Via", `SIP/2.0/UDP ${local.host}:${local.port};branch=${branch};rport`],
      ...this.#routes.map((route) => ["Route", route] as const),
      ["Max-Forwards", "70"],
      ["From", `${to.text};tag=${this.localTag}`],
      ["To", from.text],
      ["Call-ID", this.callId],
      ["CSeq", `${this.#localCSeq} ${method}`],
    ]);
    return { branch, datagram, to: this.#nextHop() };
  }

  /** The first route, else the caller's contact. Host names resolve to the packet's source, because no DNS is used. */
  #nextHop(): Source {
    const route = this.#routes[0] === undefined ? null : parseNameAddress(this.#routes[0]);
    const hop = hostOf(route?.uri ?? this.#remoteTarget);
    return hop && isIPv4(hop.host) ? { address: hop.host, port: hop.port ?? 5060 } : this.#source;
  }
}

function contactOf(request: SipRequest): string | null {
  return parseNameAddress(header(request, "contact") ?? "")?.uri ?? null;
}
