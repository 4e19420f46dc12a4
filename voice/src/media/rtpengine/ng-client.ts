import { randomUUID } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { MediaError } from "../media-plane.ts";
import { bdecode, bencode, type BencodedDictionary, type BencodedValue } from "./bencode.ts";

export interface RetryPolicy {
  readonly repeatAfterMs: readonly number[];
  readonly giveUpAfterMs: number;
}

/** Repetitions have the same cookie, for which rtpengine repeats its response and does nothing twice. */
const DEFAULT_RETRIES: RetryPolicy = { repeatAfterMs: [500, 1_000, 1_500], giveUpAfterMs: 2_000 };
const MAX_IN_FLIGHT = 1_000;

export type NgResponse = { readonly [key: string]: BencodedValue };

interface NgAddress {
  readonly host: string;
  readonly port: number;
}

/** rtpengine refused a command. The message is its `error-reason`. */
export class NgRefusal extends Error {}

interface Pending {
  resolve(response: NgResponse): void;
  reject(error: Error): void;
  readonly timers: readonly NodeJS.Timeout[];
}

/** rtpengine's ng protocol over UDP: each datagram has a cookie and a bencoded dictionary. The response repeats the cookie. */
export class NgClient {
  readonly #socket: Socket;
  readonly #pending = new Map<string, Pending>();
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("message", (datagram) => this.#receive(datagram));
    // A refused datagram is handled by the time-out.
    socket.on("error", () => undefined);
  }

  /** Connects the socket, so that the system drops datagrams from other sources. */
  static async open({ host, port }: NgAddress): Promise<NgClient> {
    const socket = createSocket("udp4");
    socket.connect(port, host);
    await once(socket, "connect");
    return new NgClient(socket);
  }

  /**
   * @throws NgRefusal if rtpengine responds with an error, MediaError `timeout` without a response (default 2 s), `no_capacity` if too
   * many requests are waiting, `unavailable` after `close`
   */
  request(command: string, body: BencodedDictionary = {}, retries: RetryPolicy = DEFAULT_RETRIES): Promise<NgResponse> {
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
        ...retries.repeatAfterMs.map((afterMs) => setTimeout(send, afterMs)),
        // After a standstill of this process, a response that has arrived is read first.
        setTimeout(() => setImmediate(expire), retries.giveUpAfterMs),
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
    if (response === null) pending.reject(new MediaError("internal", "rtpengine's response cannot be parsed."));
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
