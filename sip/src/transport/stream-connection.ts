import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { StreamFramer } from "./stream-framer.ts";
import { DEFAULT_TIMES, type StreamTimes } from "./stream-times.ts";
import type { Target } from "./target.ts";

/** RFC 5626 §3.5.1. */
const PING = "\r\n\r\n";
const PONG = "\r\n";
/** We ping earlier than the peer must hear from us (RFC 5626 §4.4), but not all the time. */
const EARLY_SHARE = 0.8;
const MIN_PING_MS = 5_000;
/** More means that the peer has stopped reading. */
const MAX_UNSENT_BYTES = 1_048_576;

interface StreamEvents {
  message(bytes: Uint8Array, connection: StreamConnection): void;
}

interface StreamOptions {
  readonly peer: Target;
  /** Whether we opened it. */
  readonly opened: boolean;
  readonly events: StreamEvents;
  readonly times?: Partial<StreamTimes>;
}

/** A TCP or TLS connection that carries SIP (RFC 3261 §18), opened by us or by the peer. */
export class StreamConnection {
  readonly peer: Target;
  /** By us. */
  readonly opened: boolean;
  /** Resolves when the connection is established; rejects if it cannot be. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the connection is closed. */
  readonly ended: Promise<Error>;
  readonly #socket: Socket;
  readonly #times: StreamTimes;
  readonly #framer = new StreamFramer();
  #pinger: NodeJS.Timeout | null = null;
  #keptOpen = false;
  #pingEveryMs: number;
  #demandsPongs = false;
  #pongTimer: NodeJS.Timeout | null = null;
  #messageTimer: NodeJS.Timeout | null = null;
  readonly #openedAtMs = performance.now();
  #established = false;
  #heardAtMs: number | null = null;
  #closed = false;
  /** Why we end it, once what was written is sent. */
  #problem: Error | null = null;

  /** @param socket connecting if `opened`, else established */
  constructor(socket: Socket, options: StreamOptions) {
    this.peer = options.peer;
    this.opened = options.opened;
    this.#socket = socket;
    this.#times = { ...DEFAULT_TIMES, ...options.times };
    this.#pingEveryMs = this.#times.pingEveryMs;
    socket.setNoDelay(true);
    this.ended = this.#awaitEnd();
    this.ready = options.opened ? this.#awaitReady() : Promise.resolve(this.#accept());
    // Rejected for those who wait for it.
    this.ready.catch(() => undefined);
    socket.on("data", (chunk: Buffer) => {
      if (this.#closed) return;
      try {
        this.#receive(chunk, options.events);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
  }

  /** Whether the peer has sent anything, which shows that it speaks SIP. */
  get heard(): boolean {
    return this.#heardAtMs !== null;
  }

  /** When the peer's certificate ends; null without TLS. */
  get certificateEndsAt(): Date | null {
    const ends = this.#socket instanceof TLSSocket ? this.#socket.getPeerCertificate().valid_to : undefined;
    return ends === undefined ? null : new Date(ends);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether it is older than `sinceMs` and nothing has arrived from then on. A peer that is gone without a word looks like this. */
  isSilentSince(sinceMs: number): boolean {
    return Math.max(this.#openedAtMs, this.#heardAtMs ?? 0) < sinceMs;
  }

  /** Pings the peer from now on, which keeps address translators open (RFC 5626 §4.4.1), instead of closing when idle. */
  keepOpen(): this {
    if (this.#keptOpen) return this;
    this.#keptOpen = true;
    if (this.#established) this.#startPings();
    return this;
  }

  /**
   * Breaks the connection from now on if a ping has no answer. For peers that have agreed on outbound; others do not answer.
   * @param seconds how often the peer wants to hear from us (Flow-Timer); null: as usual
   */
  demandPongs(seconds: number | null): void {
    this.#demandsPongs = true;
    const pingEveryMs = Math.min(this.#times.pingEveryMs, Math.max((seconds ?? Infinity) * EARLY_SHARE * 1_000, MIN_PING_MS));
    if (pingEveryMs === this.#pingEveryMs || this.#closed) return;
    this.#pingEveryMs = pingEveryMs;
    if (this.#pinger !== null) clearInterval(this.#pinger);
    this.#pinger = null;
    if (this.#keptOpen && this.#established) this.#startPings();
  }

  /** Closes it at once, as if it had broken. */
  break(problem: Error): void {
    this.#closed = true;
    this.#socket.destroy(problem);
  }

  /** Resolves when the bytes are handed to the system; rejects if the connection breaks before. Waits for the connection. */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.#closed) throw new Error("The SIP connection is closed.");
    const failed = await new Promise<boolean>((resolve) => this.#write(bytes, (error) => resolve(Boolean(error))));
    // A failed write destroys the socket, which then tells the cause.
    if (failed) throw await this.ended;
  }

  close(): void {
    if (this.#established) this.#socket.end();
    else this.#socket.destroy();
    this.#socket.setTimeout(this.#times.connectWithinMs, () => this.#socket.destroy());
    this.#socket.unref();
  }

  #write(bytes: Uint8Array, done?: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
    if (this.#socket.writableLength > MAX_UNSENT_BYTES)
      this.#socket.destroy(new Error("The peer does not read from the SIP connection."));
  }

  #startPings(): void {
    this.#socket.setTimeout(0);
    this.#pinger ??= setInterval(() => this.#ping(), this.#pingEveryMs);
  }

  #ping(): void {
    this.#write(Buffer.from(PING));
    if (!this.#demandsPongs) return;
    this.#pongTimer ??= setTimeout(
      () => this.#socket.destroy(new Error("The peer does not answer pings.")),
      Math.min(this.#times.pongWithinMs, this.#pingEveryMs),
    );
  }

  #closeWhenIdle(): void {
    this.#socket.setTimeout(this.#times.idleMs, () => this.#socket.destroy(new Error("The SIP connection was idle.")));
  }

  #accept(): void {
    this.#established = true;
    this.#closeWhenIdle();
    const silent = setTimeout(
      () => this.#socket.destroy(new Error("The peer opened a SIP connection and sent nothing.")),
      this.#times.speaksWithinMs,
    );
    for (const event of ["data", "close"] as const) this.#socket.once(event, () => clearTimeout(silent));
  }

  async #awaitReady(): Promise<void> {
    const { connectWithinMs } = this.#times;
    const late = setTimeout(() => this.#socket.destroy(new Error("The peer did not accept the connection.")), connectWithinMs);
    const event = this.peer.transport === "TLS" ? "secureConnect" : "connect";
    const established = new Promise<null>((resolve) =>
      this.#socket.once(event, () => {
        clearTimeout(late);
        this.#established = true;
        if (this.#keptOpen) this.#startPings();
        else this.#closeWhenIdle();
        resolve(null);
      }),
    );
    const problem = await Promise.race([established, this.ended]);
    clearTimeout(late);
    if (problem !== null) throw problem;
  }

  #awaitEnd(): Promise<Error> {
    let problem = new Error("The peer closed the SIP connection.");
    this.#socket.on("error", (error) => {
      problem = error;
    });
    return new Promise((resolve) => {
      this.#socket.once("close", () => {
        this.#closed = true;
        if (this.#pinger !== null) clearInterval(this.#pinger);
        if (this.#messageTimer !== null) clearTimeout(this.#messageTimer);
        if (this.#pongTimer !== null) clearTimeout(this.#pongTimer);
        resolve(this.#problem ?? problem);
      });
    });
  }

  #receive(chunk: Buffer, events: StreamEvents): void {
    const { messages, pings, problem, head } = this.#framer.push(chunk, performance.now());
    this.#heardAtMs = performance.now();
    if (this.#pongTimer !== null) clearTimeout(this.#pongTimer);
    this.#pongTimer = null;
    if (pings > 0) this.#write(Buffer.from(PONG.repeat(pings)));
    this.#watchMessage(messages.length > 0);
    for (const message of messages) if (!this.#closed) events.message(message, this);
    if (problem === null) return;
    // Whoever sent the broken message learns why, and what it says of a call still counts (RFC 4475 §3.1.2.3).
    if (head !== null && !this.#closed) events.message(head, this);
    this.#endBecause(problem);
  }

  #endBecause(problem: Error): void {
    this.#closed = true;
    this.#problem = problem;
    this.#socket.destroySoon();
    this.#socket.setTimeout(this.#times.connectWithinMs, () => this.#socket.destroy());
  }

  #watchMessage(completed: boolean): void {
    if (this.#messageTimer !== null && (completed || !this.#framer.unfinished)) {
      clearTimeout(this.#messageTimer);
      this.#messageTimer = null;
    }
    if (!this.#framer.unfinished) return;
    this.#messageTimer ??= setTimeout(
      () => this.#socket.destroy(new Error("A SIP message was not completed in time.")),
      this.#times.messageWithinMs,
    );
  }
}
