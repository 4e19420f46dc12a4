import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { Target } from "./target.ts";

/** Shorter datagrams are keep-alives (RFC 5626 §3.5). */
const MIN_MESSAGE_BYTES = 20;

/** For a burst that arrives while the process is busy. The system may allow less (`net.core.rmem_max`). */
const RECEIVE_BUFFER_BYTES = 4 * 1_024 * 1_024;

interface UdpEvents {
  message(bytes: Uint8Array, source: Target): void;
  problem(error: Error): void;
}

/** The UDP socket for SIP. */
export class UdpSocket {
  readonly port: number;
  readonly #socket: Socket;
  #closed = false;

  private constructor(socket: Socket, events: UdpEvents) {
    this.#socket = socket;
    this.port = socket.address().port;
    socket.on("error", (error) => events.problem(error));
    socket.on("message", (bytes, { address, port }) => {
      if (bytes.length >= MIN_MESSAGE_BYTES) events.message(bytes, { transport: "UDP", address, port, domain: null });
    });
  }

  /** @throws the system's error if the port is taken */
  static bind(address: string, port: number, events: UdpEvents): Promise<UdpSocket> {
    return new Promise((resolve, reject) => {
      const socket = createSocket({ type: isIPv6(address) ? "udp6" : "udp4", recvBufferSize: RECEIVE_BUFFER_BYTES });
      socket.once("error", reject);
      socket.bind(port, address, () => {
        socket.off("error", reject);
        resolve(new UdpSocket(socket, events));
      });
    });
  }

  send(bytes: Uint8Array, { address, port }: Target): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("The SIP socket is closed."));
    return new Promise((resolve, reject) =>
      this.#socket.send(bytes, port, address, (error) => (error === null ? resolve() : reject(error))),
    );
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }
}
