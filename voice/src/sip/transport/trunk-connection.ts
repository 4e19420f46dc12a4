import type { Socket } from "node:net";
import type { Logger } from "pino";
import { RateLimitedLog } from "../../rate-limits/rate-limited-log.ts";
import { MessageFramer } from "./message-framer.ts";
import { openStream, readyEvent, type StreamTarget } from "./open-stream.ts";
import { type SipSummary, summarize } from "./sip-text.ts";
import { SipBudgets } from "./sip-budgets.ts";
import { outgoingBytes, type SipReceiver, type SipTransport, transactionKey } from "./sip-transport.ts";
import { StreamRequests } from "./stream-requests.ts";

const CONNECT_WITHIN_MS = 4_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** RFC 5626 §4.4.1: the ping, and the pong's deadline. */
const PING = "\r\n\r\n";
const PING_EVERY_MS = 30_000;
const PONG_WITHIN_MS = 10_000;
/** From the first byte to the last. */
const MESSAGE_WITHIN_MS = 10_000;
/** More means that the carrier has stopped reading. */
const MAX_UNSENT_BYTES = 1_048_576;
const CARRIER = "carrier";

export interface ConnectionReceiver extends SipReceiver {
  /** Called for each established connection. */
  opened(): void;
  /** The connection broke; sent messages may be lost. */
  lost(): void;
}

export interface ConnectionTimes {
  readonly firstRetryMs: number;
  readonly pingEveryMs: number;
  readonly pongWithinMs: number;
  readonly messageWithinMs: number;
}

export interface TrunkConnectionOptions extends StreamTarget {
  readonly receiver: ConnectionReceiver;
  readonly log: Logger;
  /** For tests. */
  readonly times?: Partial<ConnectionTimes>;
}

const DEFAULT_TIMES: ConnectionTimes = {
  firstRetryMs: FIRST_RETRY_MS,
  pingEveryMs: PING_EVERY_MS,
  pongWithinMs: PONG_WITHIN_MS,
  messageWithinMs: MESSAGE_WITHIN_MS,
};

/**
 * A trunk's TCP or TLS connection, reopened when it breaks. The carrier's requests use it too, because the exchange accepts no
 * connections (RFC 5923).
 */
export class TrunkConnection implements SipTransport {
  readonly protocol: "TCP" | "TLS";
  readonly #options: TrunkConnectionOptions;
  readonly #times: ConnectionTimes;
  readonly #requests = new StreamRequests();
  readonly #budgets = new SipBudgets();
  readonly #limitedLog: RateLimitedLog;
  #stream: Socket;
  #ready = false;
  #retryMs: number;
  #retryTimer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: TrunkConnectionOptions) {
    this.#options = options;
    this.#times = { ...DEFAULT_TIMES, ...options.times };
    this.#limitedLog = new RateLimitedLog(options.log);
    this.#retryMs = this.#times.firstRetryMs;
    this.protocol = options.trunk.transport === "tls" ? "TLS" : "TCP";
    this.#stream = this.#connect();
  }

  get connected(): boolean {
    return this.#ready;
  }

  /**
   * A request's promise settles when the carrier has responded, and rejects if the connection breaks first. BYE, CANCEL and ACK wait up
   * to 32 s for the next connection.
   */
  send(text: string): Promise<void> {
    const summary = summarize(text);
    if (summary === null) return Promise.reject(new Error("The SIP message to send has no branch, CSeq or Call-ID."));
    if (!this.#ready) {
      const mayWait = summary.status === null && (this.#retryTimer === null || StreamRequests.survivesReconnect(summary));
      if (mayWait && !this.#closed) return this.#requests.add(text, summary, false);
      return Promise.reject(new Error("The trunk is not connected."));
    }
    this.#write(outgoingBytes(text));
    if (summary.status !== null || summary.method === "ACK") return Promise.resolve();
    return this.#requests.add(text, summary, true);
  }

  abandon(branch: string, method: string): void {
    this.#requests.answered(transactionKey({ branch, method }));
  }

  close(): void {
    this.#closed = true;
    this.#requests.clear();
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    if (this.#ready) this.#stream.end();
    else this.#stream.destroy();
    this.#stream.setTimeout(CONNECT_WITHIN_MS, () => this.#stream.destroy());
    this.#stream.unref();
  }

  #write(bytes: Buffer | string): void {
    this.#stream.write(bytes);
    if (this.#stream.writableLength > MAX_UNSENT_BYTES)
      this.#stream.destroy(new Error("The carrier does not read from the connection."));
  }

  #connect(): Socket {
    const { log, trunk, receiver } = this.#options;
    const stream = openStream(this.#options);
    const watch = new StreamWatch(stream, this.#times);
    const framer = new MessageFramer();
    stream.setNoDelay(true);
    const opening = setTimeout(() => stream.destroy(new Error("The carrier did not accept the connection.")), CONNECT_WITHIN_MS);
    stream.once(readyEvent(trunk.transport), () => {
      clearTimeout(opening);
      this.#ready = true;
      watch.start();
      log.info("trunk connected");
      this.#requests.sendWaiting((bytes) => this.#write(bytes));
      receiver.opened();
    });
    stream.on("data", (chunk: Buffer) => {
      try {
        const { messages, keepAlive } = framer.push(chunk);
        watch.heard({ keepAlive, completed: messages.length > 0, unfinished: framer.unfinished });
        this.#retryMs = this.#times.firstRetryMs;
        for (const message of messages) this.#receive(message, receiver);
      } catch (error) {
        stream.destroy(error as Error);
      }
    });
    let problem: Error | null = null;
    stream.on("error", (error) => {
      problem = error;
    });
    stream.once("close", () => {
      clearTimeout(opening);
      watch.stop();
      this.#onClose(problem ?? new Error("The carrier closed the connection."));
    });
    return stream;
  }

  #onClose(problem: Error): void {
    const { log, receiver } = this.#options;
    const wasReady = this.#ready;
    this.#ready = false;
    if (this.#closed) return;
    log.warn({ err: problem, retryMs: this.#retryMs }, wasReady ? "trunk connection lost" : "trunk not connected");
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = null;
      this.#stream = this.#connect();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    if (wasReady) receiver.lost();
    this.#requests.connectionLost(problem);
  }

  #receive(text: string, receiver: ConnectionReceiver): void {
    const nowMs = performance.now();
    if (!this.#budgets.mayRead(CARRIER, true, nowMs)) return;
    const summary = summarize(text);
    if (summary === null || !this.#admits(summary, receiver, nowMs)) return;
    if (endsWait(summary)) this.#requests.answered(transactionKey(summary));
    try {
      receiver.message(text, summary);
    } catch (error) {
      this.#limitedLog.warn({ err: error, bytes: text.length }, "SIP message not handled");
    }
  }

  #admits({ callId, status }: SipSummary, receiver: ConnectionReceiver, nowMs: number): boolean {
    if (receiver.hasCall(callId)) return this.#budgets.mayReachCall(callId, nowMs);
    return status === null && this.#budgets.mayRequest(CARRIER, nowMs);
  }
}

/** Whether a response ends the wait: to an INVITE any does, because the final one may take minutes. */
function endsWait({ status, method }: SipSummary): boolean {
  return status !== null && (status >= 200 || method === "INVITE");
}

/** Detects a dead peer and unfinished messages. */
class StreamWatch {
  readonly #stream: Socket;
  readonly #times: ConnectionTimes;
  #pinger: NodeJS.Timeout | null = null;
  #pongTimer: NodeJS.Timeout | null = null;
  #messageTimer: NodeJS.Timeout | null = null;
  /** Some carriers never answer pings; one that has must continue to. */
  #answersPings = false;

  constructor(stream: Socket, times: ConnectionTimes) {
    this.#stream = stream;
    this.#times = times;
  }

  start(): void {
    this.#pinger = setInterval(() => this.#ping(), this.#times.pingEveryMs);
  }

  heard({ keepAlive, completed, unfinished }: { keepAlive: boolean; completed: boolean; unfinished: boolean }): void {
    if (keepAlive) {
      this.#answersPings = true;
      this.#pongTimer = stopped(this.#pongTimer);
    }
    if (completed || !unfinished) this.#messageTimer = stopped(this.#messageTimer);
    if (unfinished)
      this.#messageTimer ??= setTimeout(
        () => this.#stream.destroy(new Error("A SIP message was not completed in time.")),
        this.#times.messageWithinMs,
      );
  }

  stop(): void {
    if (this.#pinger !== null) clearInterval(this.#pinger);
    this.#pongTimer = stopped(this.#pongTimer);
    this.#messageTimer = stopped(this.#messageTimer);
  }

  #ping(): void {
    this.#stream.write(PING);
    if (this.#answersPings)
      this.#pongTimer ??= setTimeout(
        () => this.#stream.destroy(new Error("The carrier no longer answers keep-alives.")),
        this.#times.pongWithinMs,
      );
  }
}

function stopped(timer: NodeJS.Timeout | null): null {
  if (timer !== null) clearTimeout(timer);
  return null;
}
