import { createSocket, type Socket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";
import type { Logger } from "pino";
import { dropOldest } from "../../drop-oldest.ts";
import { Retransmissions } from "./retransmissions.ts";
import { RateLimitedLog } from "../../rate-limits/rate-limited-log.ts";
import { SipBudgets } from "./sip-budgets.ts";
import { nextHop, type SipSummary, summarize } from "./sip-text.ts";
import { outgoingBytes, type SipReceiver, type SipTransport, transactionKey } from "./sip-transport.ts";

const MAX_DATAGRAM_BYTES = 16_384;
const MAX_KNOWN_SOURCES = 10_000;
const MAX_KNOWN_HOSTS = 1_000;
const HOST_LIFETIME_MS = 300_000;

interface Source {
  readonly address: string;
  readonly port: number;
}

export interface SipSocketReceiver extends SipReceiver {
  isTrunk(address: string): boolean;
}

/** The UDP socket for SIP: routes outgoing messages, retransmits, and filters datagrams before they are parsed. */
export class SipSocket implements SipTransport {
  readonly protocol = "UDP";
  readonly port: number;
  readonly #socket: Socket;
  readonly #log: Logger;
  readonly #retransmissions = new Retransmissions();
  /** Sources of requests by branch, for their responses (RFC 3581). */
  readonly #sources = new Map<string, Source>();
  readonly #hosts = new Map<string, { address: string; untilMs: number }>();
  readonly #budgets = new SipBudgets();
  readonly #limitedLog: RateLimitedLog;
  #closed = false;

  private constructor(socket: Socket, log: Logger) {
    this.#socket = socket;
    this.#log = log;
    this.#limitedLog = new RateLimitedLog(log);
    this.port = socket.address().port;
  }

  /** @throws the system's error if the port is taken. */
  static bind(address: string, port: number, log: Logger): Promise<SipSocket> {
    return new Promise((resolve, reject) => {
      const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
      socket.once("error", reject);
      socket.bind(port, address, () => {
        socket.off("error", reject);
        socket.on("error", (error) => log.warn({ err: error }, "SIP socket error"));
        resolve(new SipSocket(socket, log));
      });
    });
  }

  listen(receiver: SipSocketReceiver): void {
    this.#socket.on("message", (datagram, from) => {
      try {
        this.#receive(datagram, from, receiver);
      } catch (error) {
        this.#limitedLog.warn({ err: error, bytes: datagram.length }, "SIP message not handled");
      }
    });
  }

  /** Rejects if there is no destination. */
  async send(text: string): Promise<void> {
    const summary = summarize(text);
    if (summary === null) throw new Error("The SIP message to send has no branch, CSeq or Call-ID.");
    const target = summary.status === null ? await this.#targetOfRequest(text, summary) : this.#sources.get(summary.branch);
    if (target === undefined) throw new Error("The SIP message has no destination.");
    const bytes = outgoingBytes(text);
    const transmit = (): void => {
      if (!this.#closed) this.#socket.send(bytes, target.port, target.address);
    };
    transmit();
    const key = transactionKey(summary);
    if (summary.method === "ACK") return;
    if (summary.status === null) this.#retransmissions.start(key, summary.method === "INVITE", transmit);
    else if (summary.method === "INVITE" && summary.status >= 300) this.#retransmissions.start(key, false, transmit);
  }

  /** Stops retransmitting a request whose response no longer matters. */
  abandon(branch: string, method: string): void {
    this.#retransmissions.stop(transactionKey({ branch, method }));
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#retransmissions.clear();
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  #receive(datagram: Buffer, from: Source, receiver: SipSocketReceiver): void {
    // Shorter ones are keep-alives (CRLF, RFC 5626 §3.5.1).
    if (datagram.length < 20 || datagram.length > MAX_DATAGRAM_BYTES) return;
    const nowMs = performance.now();
    const isTrunk = receiver.isTrunk(from.address);
    if (!this.#budgets.mayRead(from.address, isTrunk, nowMs)) return;
    const text = datagram.toString("utf8");
    const summary = summarize(text);
    if (summary === null) {
      this.#log.debug({ bytes: datagram.length }, "dropped a datagram that is not SIP");
      return;
    }
    // Only trunks may send requests outside our calls: scanners find every SIP port.
    const admitted = receiver.hasCall(summary.callId)
      ? this.#budgets.mayReachCall(summary.callId, nowMs)
      : isTrunk && summary.status === null && this.#budgets.mayRequest(from.address, nowMs);
    if (!admitted) return;
    if (summary.status === null) this.#onRequest(summary, from);
    else if (summary.status >= 200 || summary.method === "INVITE") this.#retransmissions.stop(transactionKey(summary));
    else this.#retransmissions.slowDown(transactionKey(summary));
    receiver.message(text, summary);
  }

  #onRequest(summary: SipSummary, from: Source): void {
    // The ACK to a non-2xx response has the branch of its INVITE (§17.1.1.3).
    if (summary.method === "ACK") this.#retransmissions.stop(`${summary.branch} INVITE`);
    this.#sources.delete(summary.branch);
    this.#sources.set(summary.branch, { address: from.address, port: from.port });
    dropOldest(this.#sources, MAX_KNOWN_SOURCES);
  }

  async #targetOfRequest(text: string, summary: SipSummary): Promise<Source | undefined> {
    const hop = nextHop(text, summary.requestUri);
    if (hop === null) return undefined;
    return { address: isIP(hop.host) === 0 ? await this.#resolve(hop.host) : hop.host, port: hop.port };
  }

  /** Cached for five minutes, so that a CANCEL goes to the same address as its INVITE. */
  async #resolve(host: string): Promise<string> {
    const known = this.#hosts.get(host);
    if (known !== undefined && known.untilMs > performance.now()) return known.address;
    const { address } = await lookup(host, { family: isIPv6(this.#socket.address().address) ? 6 : 4 });
    if (this.#hosts.size >= MAX_KNOWN_HOSTS) this.#hosts.clear();
    this.#hosts.set(host, { address, untilMs: performance.now() + HOST_LIFETIME_MS });
    return address;
  }
}
