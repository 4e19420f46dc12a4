import { randomBytes } from "node:crypto";
import { formatSip, type SipRequest } from "./sip-message.ts";
import { retransmit, type SipTimers } from "./retransmission.ts";

export interface Source {
  address: string;
  port: number;
}
export type SipHeaders = readonly (readonly [string, string])[];

export function newTag(): string {
  return randomBytes(8).toString("hex");
}

/**
 * A server transaction (RFC 3261 §17.2): answers a retransmitted request with the last response, and retransmits an INVITE's
 * non-2xx final response until the ACK. Its 2xx is retransmitted by the call, as §13.3.1.4 requires.
 */
export class ServerTransaction {
  readonly request: SipRequest;
  readonly source: Source;
  /** Added to To if the request has no tag; also identifies the call. */
  readonly localTag: string;
  readonly #send: (datagram: Buffer, to: Source) => void;
  readonly #timers: SipTimers;
  #last: Buffer | null = null;
  #finalStatus: number | null = null;
  #stopRetransmitting: () => void = () => undefined;

  constructor(request: SipRequest, source: Source, wire: { send: (datagram: Buffer, to: Source) => void; timers: SipTimers }) {
    this.request = request;
    this.source = source;
    this.localTag = request.to.tag ?? newTag();
    this.#send = wire.send;
    this.#timers = wire.timers;
  }

  get finalStatus(): number | null {
    return this.#finalStatus;
  }

  /** Sends a response. Does nothing after a final response. */
  respond(status: number, reason: string, more: { headers?: SipHeaders; body?: string } = {}): void {
    if (this.#finalStatus !== null) return;
    const headers = [...this.#copiedHeaders(status), ...(more.headers ?? [])];
    this.#last = formatSip(`SIP/2.0 ${status} ${reason}`, headers, more.body);
    if (status >= 200) this.#finalStatus = status;
    if (status >= 300 && this.request.method === "INVITE")
      this.#stopRetransmitting = retransmit(
        this.#timers,
        () => this.resend(),
        () => undefined, // without an ACK there is nothing to release
      );
    else this.resend();
  }

  /** Sends the last response again, if there is one. */
  resend(): void {
    if (this.#last) this.#send(this.#last, this.#returnAddress());
  }

  /** Stops retransmitting: the ACK arrived, or the transaction ends. */
  stop(): void {
    this.#stopRetransmitting();
  }

  #copiedHeaders(status: number): [string, string][] {
    const { request } = this;
    const [top, ...rest] = request.vias;
    const headers: [string, string][] = [["Via", this.#stampVia(top?.text ?? "")]];
    for (const via of rest) headers.push(["Via", via.text]);
    const makesDialog = request.method === "INVITE" && status > 100 && status < 300;
    if (makesDialog) for (const route of request.headers.get("record-route") ?? []) headers.push(["Record-Route", route]);
    const toTag = status === 100 || request.to.tag !== null ? "" : `;tag=${this.localTag}`;
    headers.push(["From", request.from.text], ["To", `${request.to.text}${toTag}`], ["Call-ID", request.callId]);
    headers.push(["CSeq", `${request.cseq.number} ${request.method}`], ["Server", "Farline sandbox phone network"]);
    return headers;
  }

  /** Adds the request's actual source (RFC 3261 §18.2.1, RFC 3581 §4). */
  #stampVia(text: string): string {
    const top = this.request.vias[0];
    if (!top || (!top.rport && top.host === this.source.address)) return text;
    const filled = text.replace(/;\s*rport\s*(?=;|$)/i, `;rport=${this.source.port}`);
    return `${filled};received=${this.source.address}`;
  }

  #returnAddress(): Source {
    const top = this.request.vias[0];
    return { address: this.source.address, port: top?.rport ? this.source.port : (top?.port ?? 5060) };
  }
}
