import type { StreamTimes } from "./stream-times.ts";

/** RFC 5626 §3.5.1. */
const PING = "\r\n\r\n";
const PONG = "\r\n";

export interface KeepAliveOptions {
  readonly write: (text: string) => void;
  readonly fail: (problem: Error) => void;
  readonly times: Pick<StreamTimes, "pingEveryMs" | "pongWithinMs">;
}

/**
 * Keep-alives on a stream (RFC 5626 §4.4.1). Answers the peer's pings. Pings the peer once started, which also keeps address translators
 * open; a pong is demanded only from a peer that supports outbound, because others never send one.
 */
export class KeepAlive {
  readonly #options: KeepAliveOptions;
  #demandsPongs = false;
  #pinger: NodeJS.Timeout | null = null;
  #pongTimer: NodeJS.Timeout | null = null;

  constructor(options: KeepAliveOptions) {
    this.#options = options;
  }

  start(): void {
    this.#pinger ??= setInterval(() => this.#ping(), this.#options.times.pingEveryMs);
  }

  demandPongs(): void {
    this.#demandsPongs = true;
  }

  /** A line break that is no ping is a pong, or without meaning. */
  received({ pings, lineBreak }: { readonly pings: number; readonly lineBreak: boolean }): void {
    if (lineBreak) this.#stopWaiting();
    if (pings > 0) this.#options.write(PONG.repeat(pings));
  }

  stop(): void {
    if (this.#pinger !== null) clearInterval(this.#pinger);
    this.#stopWaiting();
  }

  #ping(): void {
    this.#options.write(PING);
    if (!this.#demandsPongs) return;
    const fail = (): void => this.#options.fail(new Error("The peer no longer answers keep-alives."));
    this.#pongTimer ??= setTimeout(fail, this.#options.times.pongWithinMs);
  }

  #stopWaiting(): void {
    if (this.#pongTimer !== null) clearTimeout(this.#pongTimer);
    this.#pongTimer = null;
  }
}
