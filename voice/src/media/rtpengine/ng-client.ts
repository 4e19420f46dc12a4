import { randomUUID } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { MediaError } from "../media-plane.ts";
import { bdecode, bencode, type BencodedDictionary, type BencodedValue } from "./bencode.ts";

/** When a request is sent once more, and when it is given up. */
export interface RetryPolicy {
  readonly repeatAfterMs: readonly number[];
  readonly giveUpAfterMs: number;
}

/** Repeated with its cookie, which the daemon answers from memory: nothing is done twice. */
const DEFAULT_RETRIES: RetryPolicy = { repeatAfterMs: [500, 1_000, 1_500], giveUpAfterMs: 2_000 };
const MAX_IN_FLIGHT = 1_000;

export type NgResponse = { readonly [key: string]: BencodedValue };

/** Where a daemon takes ng commands. */
export interface NgAddress {
  readonly host: string;
  readonly port: number;
}

/** The daemon refused a command; the message is its `error-reason`. */
export class NgRefusal extends Error {}

interface Pending {
  resolve(response: NgResponse): void;
  reject(error: Error): void;
  readonly timers: readonly NodeJS.Timeout[];
}

/** rtpengine's ng protocol over UDP: a cookie and a bencoded dictionary in each datagram, the same cookie before the response. */
export class NgClient {
  readonly #socket: Socket;
  readonly #pending = new Map<string, Pending>();
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("message", (datagram) => this.#receive(datagram));
    // A port that nobody listens on is silence like any other.
    socket.on("error", () => undefined);
  }

  /** The socket is connected: datagrams from anybody else are dropped by the system. */
  static async open({ host, port }: NgAddress): Promise<NgClient> {
    const socket = createSocket("udp4");
    socket.connect(port, host);
    await once(socket, "connect");
    return new NgClient(socket);
  }

  /**
   * @throws NgRefusal what the daemon answers with an error, MediaError `timeout` when no answer came (2 s by default), `no_capacity`
   * when too many requests wait, `unavailable` after `close`.
   */
  ask(command: string, body: BencodedDictionary = {}, patience: RetryPolicy = DEFAULT_RETRIES): Promise<NgResponse> {
    if (this.#closed) return Promise.reject(new MediaError("unavailable", "The media pool is closed."));
    if (this.#pending.size >= MAX_IN_FLIGHT)
      return Promise.reject(new MediaError("no_capacity", "Too many media requests are waiting."));
    const cookie = randomUUID();
    const datagram = Buffer.concat([Buffer.from(`${cookie} `), bencode({ command, ...body })]);
    const send = (): void => this.#socket.send(datagram, () => undefined);
    return new Promise((resolve, reject) => {
      const expire = (): void =>
        this.#settle(cookie)?.reject(new MediaError("timeout", `rtpengine did not answer ${command} in time.`));
      const timers = [
        ...patience.repeatAfterMs.map((afterMs) => setTimeout(send, afterMs)),
        setTimeout(expire, patience.giveUpAfterMs),
      ];
      this.#pending.set(cookie, { resolve, reject, timers });
      send();
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const cookie of [...this.#pending.keys()])
      this.#settle(cookie)?.reject(new MediaError("unavailable", "The media pool is closed."));
    this.#socket.close();
  }

  #receive(datagram: Buffer): void {
    const space = datagram.indexOf(" ");
    const pending = this.#settle(datagram.toString("latin1", 0, Math.max(space, 0)));
    if (pending === undefined) return;
    const response = readResponse(datagram.subarray(space + 1));
    if (response === null) pending.reject(new MediaError("internal", "rtpengine's answer cannot be read."));
    else if (response.result === "error") pending.reject(new NgRefusal(reasonIn(response)));
    else pending.resolve(response);
  }

  #settle(cookie: string): Pending | undefined {
    const pending = this.#pending.get(cookie);
    this.#pending.delete(cookie);
    for (const timer of pending?.timers ?? []) clearTimeout(timer);
    return pending;
  }
}

function reasonIn({ "error-reason": reason }: NgResponse): string {
  return typeof reason === "string" ? reason : "unknown reason";
}

function readResponse(bytes: Buffer): NgResponse | null {
  try {
    const value = bdecode(bytes);
    return typeof value === "object" && !Array.isArray(value) ? (value as NgResponse) : null;
  } catch {
    return null;
  }
}
