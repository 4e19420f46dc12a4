import { randomBytes } from "node:crypto";
import { formatSip, type SipRequest } from "./sip-message.ts";
import { sendUntilStopped, type SipTimers } from "./retransmission.ts";

export interface Source {
  address: string;
  port: number;
}
export type SipHeaders = readonly (readonly [string, string])[];

export function newTag(): string {
  return randomBytes(8).toString("hex");
}

/**
 * The receiving side of one request (RFC 3261 §17.2): answers a repeated request with the last response, and repeats a refusal
 * of an INVITE until its ACK comes. A 2xx to an INVITE is repeated by the call, as §13.3.1.4 wants it.
 */
export class ServerTransaction {
  readonly request: SipRequest;
  readonly source: Source;
  /** Tag put on To when the request has none; the call's own tag. */
  readonly localTag: string;
  readonly #send: (datagram: Buffer, to: Source) => void;
  readonly #timers: SipTimers;
  #last: Buffer | null = null;
  #finalStatus: number | null = null;
  #stopRepeating: () => void = () => undefined;

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

  /** Sends a response. After a final one further calls do nothing. @returns the datagram that was sent. */
  respond(status: number, reason: string, more: { headers?: SipHeaders; body?: string } = {}): Buffer | null {
    if (this.#finalStatus !== null) return null;
    const datagram = formatSip(`SIP/2.0 ${status} ${reason}`, [...this.#copied(status), ...(more.headers ?? [])], more.body);
    this.#last = datagram;
    if (status >= 200) this.#finalStatus = status;
    if (status >= 300 && this.request.method === "INVITE")
      this.#stopRepeating = sendUntilStopped(this.#timers, () => this.resend(), ignoreLostAck);
    else this.resend();
    return datagram;
  }

  /** Handles a retransmission: repeats the last response, if there is one. */
  resend(): void {
    if (this.#last) this.#send(this.#last, this.#returnAddress());
  }

  /** The ACK of a refusal arrived, or the transaction is being forgotten. */
  stop(): void {
    this.#stopRepeating();
  }

  #copied(status: number): [string, string][] {
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

  /** Where the request really came from (RFC 3261 §18.2.1, RFC 3581 §4). */
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

/** A refusal that is never acknowledged needs no handling: it holds nothing. */
function ignoreLostAck(): void {
  return undefined;
}
