import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Logger } from "pino";
import { parseSip, type SipRequest } from "./sip-message.ts";
import { transactionTimeoutMs, retransmit, type SipTimers } from "./retransmission.ts";
import { ServerTransaction, type Source } from "./server-transaction.ts";

/** A transaction is kept for 64 s, so this allows a few hundred requests per second. */
const MAX_TRANSACTIONS = 20_000;
const MAX_CLIENT_TRANSACTIONS = 1000;
/** Rounds of 64 s, which exceed the three minutes that a number may ring. */
const MAX_RINGING_ROUNDS = 4;

export interface SipEndpointOptions {
  log: Logger;
  timers: SipTimers;
  /** A new request; never an ACK, a CANCEL or a retransmission. */
  onRequest: (transaction: ServerTransaction) => void;
  /** The ACK of a 2xx; other ACKs are handled here. */
  onAck: (ack: SipRequest) => void;
  /** A CANCEL of this INVITE; the CANCEL has already been answered with 200. */
  onCancel: (invite: ServerTransaction) => void;
}

/** SIP's transport and transaction layers over one UDP socket. */
export class SipEndpoint {
  readonly #options: SipEndpointOptions;
  readonly #socket: Socket = createSocket("udp4");
  readonly #server = new Map<string, { transaction: ServerTransaction; expiry: NodeJS.Timeout }>();
  readonly #client = new Map<string, { stop: () => void; done: () => void }>();
  /** Number of datagrams that were not SIP messages. */
  malformed = 0;

  constructor(options: SipEndpointOptions) {
    this.#options = options;
  }

  /** @returns the actual port, which differs from `port` if that is 0 */
  async listen(host: string, port: number): Promise<number> {
    this.#socket.bind(port, host);
    await once(this.#socket, "listening"); // rejects when the address is taken
    this.#socket.on("error", (error) => this.#options.log.error({ err: error }, "SIP socket failed"));
    this.#socket.on("message", (datagram, from) => {
      try {
        this.#receive(datagram, from);
      } catch (error) {
        // One caller's bad message must not affect other calls.
        this.#options.log.error({ err: error }, "SIP message could not be handled");
      }
    });
    return this.#socket.address().port;
  }

  /** Retransmits a request until a final response arrives or 64·T1 have passed, then resolves. */
  request(branch: string, datagram: Buffer, to: Source): Promise<void> {
    if (this.#client.size >= MAX_CLIENT_TRANSACTIONS) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#client.delete(branch);
        resolve();
      };
      this.#client.set(branch, { stop: retransmit(this.#options.timers, () => this.send(datagram, to), done), done });
    });
  }

  send(datagram: Buffer, to: Source): void {
    this.#socket.send(datagram, to.port, to.address, (error) => {
      if (error) this.#options.log.warn({ err: error }, "SIP datagram not sent");
    });
  }

  async close(): Promise<void> {
    for (const { transaction, expiry } of this.#server.values()) {
      clearTimeout(expiry);
      transaction.stop();
    }
    for (const { stop, done } of this.#client.values()) {
      stop();
      done();
    }
    this.#server.clear();
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  #receive(datagram: Buffer, from: Source): void {
    const message = parseSip(datagram);
    if (!message) {
      this.malformed += 1;
      this.#options.log.debug({ bytes: datagram.length }, "malformed SIP datagram ignored");
      return;
    }
    if (message.kind === "request") return this.#receiveRequest(message, { address: from.address, port: from.port });
    if (message.status < 200) return;
    const waiting = this.#client.get(message.vias[0]?.branch ?? "");
    waiting?.stop();
    waiting?.done();
  }

  #receiveRequest(request: SipRequest, source: Source): void {
    const known = this.#server.get(transactionKey(request, request.method === "ACK" ? "INVITE" : request.method))?.transaction;
    if (request.method === "ACK") {
      if (known && (known.finalStatus ?? 0) >= 300) known.stop();
      else this.#options.onAck(request);
      return;
    }
    if (known) return known.resend();
    if (this.#server.size >= MAX_TRANSACTIONS) return;
    const transaction = this.#createTransaction(request, source);
    if (request.method === "CANCEL") this.#cancel(transaction);
    else this.#options.onRequest(transaction);
  }

  #createTransaction(request: SipRequest, source: Source): ServerTransaction {
    const transaction = new ServerTransaction(request, source, {
      send: (datagram, to) => this.send(datagram, to),
      timers: this.#options.timers,
    });
    this.#keep(transactionKey(request, request.method), transaction);
    return transaction;
  }

  /** Keeps a transaction for 64 s; a ringing INVITE is kept longer, within a limit. */
  #keep(key: string, transaction: ServerTransaction, roundsLeft = MAX_RINGING_ROUNDS): void {
    const expiry = setTimeout(
      () => {
        const rings = transaction.finalStatus === null && transaction.request.method === "INVITE";
        if (rings && roundsLeft > 0) return this.#keep(key, transaction, roundsLeft - 1);
        transaction.stop();
        this.#server.delete(key);
      },
      2 * transactionTimeoutMs(this.#options.timers),
    );
    this.#server.set(key, { transaction, expiry });
  }

  #cancel(cancel: ServerTransaction): void {
    const invite = this.#server.get(transactionKey(cancel.request, "INVITE"))?.transaction;
    if (!invite) {
      cancel.respond(481, "Call/Transaction Does Not Exist");
      return;
    }
    cancel.respond(200, "OK");
    if (invite.finalStatus === null) this.#options.onCancel(invite);
  }
}

/** RFC 3261 §17.2.3: branch, sent-by and method. */
function transactionKey(request: SipRequest, method: string): string {
  const top = request.vias[0];
  return `${top?.branch} ${top?.host.toLowerCase()}:${top?.port ?? 5060} ${method}`;
}
