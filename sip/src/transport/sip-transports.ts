import { connect as connectTcp, createServer as createTcpServer, isIPv6, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import type { SipMessage, SipResponse } from "../message/message.ts";
import { parseMessage } from "../message/parse-message.ts";
import { writeMessage } from "../message/write-message.ts";
import { returnTarget, stampRefusal, stampSource } from "./return-path.ts";
import { StreamConnection } from "./stream-connection.ts";
import { DEFAULT_TIMES, type StreamTimes } from "./stream-times.ts";
import { isStream, type Target, targetKey, type TransportName } from "./target.ts";
import { type CertificateAndKey, MIN_TLS_VERSION, tlsOptions } from "./tls-identity.ts";
import { UdpSocket } from "./udp-socket.ts";

export interface SipTransportEvents {
  /** Checked for each connection, and with its bytes for each message before it is read, so that strangers cost little. */
  admits(source: Target, bytes?: Uint8Array): boolean;
  /**
   * Counts a connection that a peer opens, before any handshake: what to call when it has closed, or null to close it at once. `admits` is asked
   * first. Absent: only the bound on all of them counts.
   */
  connects?(source: Target): (() => void) | null;
  /** Checked once a message is read: false drops it. */
  accepts?(message: SipMessage, source: Target): boolean;
  /** A message; the source of a request stands in its topmost Via. */
  message(message: SipMessage, source: Target): void;
  /** `refusal` answers it, if anything should (see `parseMessage`). */
  malformed(problem: string, refusal: SipResponse | null, source: Target): void;
  /** A connection broke; what was sent over it may be lost. */
  connectionLost(peer: Target, problem: Error): void;
  problem(error: Error): void;
}

export interface SipTransportsOptions {
  /** To bind. */
  readonly address: string;
  /** UDP and TCP listen on the same port (RFC 3261 §18.2.1). 0 picks one. */
  readonly port: number;
  /** Listens for TLS too. */
  readonly tls?: CertificateAndKey & { readonly port: number };
  /** Writes messages; for peers that must see unusual ones. */
  readonly write?: (message: SipMessage) => Uint8Array;
  readonly events: SipTransportEvents;
  readonly times?: Partial<StreamTimes>;
}

const MAX_CONNECTIONS = 1_000;
/** Of them, those that peers open, including unfinished handshakes. The rest is for our own. */
const MAX_FROM_PEERS = 500;
/** Tries to find one port that is free on both UDP and TCP. */
const MAX_PORT_TRIES = 20;

/** SIP over UDP, TCP and TLS at one address (RFC 3261 §18). */
export class SipTransports {
  readonly #options: SipTransportsOptions;
  readonly #connections = new Map<string, StreamConnection>();
  readonly #servers: Server[] = [];
  #handshakes: TlsServer | null = null;
  #udp: UdpSocket | null = null;
  #ports: Partial<Record<TransportName, number>> = {};
  #fromPeers = 0;
  #closed = false;

  private constructor(options: SipTransportsOptions) {
    this.#options = options;
  }

  /** @throws the system's error if a port is taken */
  static async open(options: SipTransportsOptions): Promise<SipTransports> {
    const transports = new SipTransports(options);
    try {
      await transports.#listen();
    } catch (error) {
      await transports.close();
      throw error;
    }
    return transports;
  }

  /** Where we listen, for Via and Contact. Undefined for TLS without a certificate. */
  port(transport: TransportName): number | undefined {
    return this.#ports[transport];
  }

  /** Resolves when the message is handed to the system; rejects if it cannot be sent. Opens a connection if there is none. */
  async send(message: SipMessage, target: Target): Promise<void> {
    const bytes = (this.#options.write ?? writeMessage)(message);
    if (isStream(target.transport)) await this.connect(target).send(bytes);
    else await this.#udp?.send(bytes, target);
  }

  /** Sends a response the way its request came (RFC 3261 §18.2.2): over the same connection while it lives. */
  async respond(response: SipResponse, source: Target): Promise<void> {
    const target = this.#connections.has(targetKey(source)) ? source : returnTarget(response, source);
    await this.send(response, target);
  }

  /**
   * The connection to a target, opened if there is none.
   * @throws Error if there are too many, or TLS is wanted without a domain to verify
   */
  connect(target: Target): StreamConnection {
    const open = this.#connections.get(targetKey(target));
    if (open !== undefined) return open;
    if (this.#closed) throw new Error("The transports are closed.");
    if (this.#connections.size >= MAX_CONNECTIONS) throw new Error("There are too many SIP connections.");
    return this.#keep(this.#openSocket(target), target, true);
  }

  isConnected(target: Target): boolean {
    return this.#connections.has(targetKey(target));
  }

  /** When the certificate ends that the peer has shown; null without a connection by TLS. */
  peerCertificateEndsAt(target: Target): Date | null {
    return this.#connections.get(targetKey(target))?.certificateEndsAt ?? null;
  }

  /** Whether a connection is open to a target and has been silent (see `StreamConnection`). */
  isSilentSince(target: Target, sinceMs: number): boolean {
    return this.#connections.get(targetKey(target))?.isSilentSince(sinceMs) ?? false;
  }

  /** Breaks the connection to a target. The next message opens another. */
  break(target: Target, problem: Error): void {
    const connection = this.#connections.get(targetKey(target));
    if (connection === undefined) return;
    connection.break(problem);
    this.#forget(targetKey(target), connection, problem);
  }

  /** Closes the connections that peers opened and may no longer have. */
  closeFromPeers(mayStay: (peer: Target) => boolean): void {
    for (const connection of this.#connections.values()) if (!connection.opened && !mayStay(connection.peer)) connection.close();
  }

  /** Shows a renewed certificate to peers that connect from now on. */
  useCertificate({ cert, key }: CertificateAndKey): void {
    this.#handshakes?.setSecureContext({ cert, key, minVersion: MIN_TLS_VERSION });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const connection of this.#connections.values()) connection.close();
    const servers = this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    await Promise.all([this.#udp?.close(), ...servers]);
  }

  async #listen(): Promise<void> {
    const { address, port, tls } = this.#options;
    for (let tries = 1; ; tries += 1) {
      this.#udp = await UdpSocket.bind(address, port, {
        message: (bytes, source) => this.#receive(bytes, source),
        problem: (error) => this.#options.events.problem(error),
      });
      try {
        await this.#serve(
          createTcpServer((socket) => {
            if (this.#admit(socket, "TCP")) this.#accept(socket, "TCP");
          }),
          this.#udp.port,
        );
        break;
      } catch (error) {
        await this.#udp.close();
        if (port !== 0 || tries === MAX_PORT_TRIES) throw error;
      }
    }
    this.#ports = { UDP: this.#udp.port, TCP: this.#udp.port };
    if (tls !== undefined) this.#ports.TLS = await this.#serve(this.#createTls(tls), tls.port);
  }

  /** Admits a connection before its handshake, which would cost memory and time, and bounds the handshake. */
  #createTls(tls: CertificateAndKey): Server {
    const handshakeMs = this.#options.times?.connectWithinMs ?? DEFAULT_TIMES.connectWithinMs;
    const late = new Map<string, NodeJS.Timeout>();
    const done = (key: string) => {
      clearTimeout(late.get(key));
      late.delete(key);
    };
    const handshakes = (this.#handshakes = createTlsServer({ cert: tls.cert, key: tls.key, minVersion: MIN_TLS_VERSION }));
    handshakes.on("secureConnection", (socket) => {
      done(remoteOf(socket));
      this.#accept(socket, "TLS");
    });
    // A peer that does not speak TLS is its own problem.
    handshakes.on("tlsClientError", (_error, socket) => socket.destroy());
    return createTcpServer((socket) => {
      if (!this.#admit(socket, "TLS")) return;
      // The server's own time-out begins again with each byte.
      const key = remoteOf(socket);
      late.set(
        key,
        setTimeout(() => socket.destroy(), handshakeMs),
      );
      socket.once("close", () => done(key));
      handshakes.emit("connection", socket);
    });
  }

  #serve(server: Server, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, this.#options.address, () => {
        server.off("error", reject);
        server.on("error", (error) => this.#options.events.problem(error));
        this.#servers.push(server);
        const bound = server.address();
        resolve(typeof bound === "object" && bound !== null ? bound.port : port);
      });
    });
  }

  /** Decides about a new connection before it costs anything, and closes it otherwise. */
  #admit(socket: Socket, transport: TransportName): boolean {
    const { events } = this.#options;
    socket.on("error", () => undefined);
    const peer = peerOf(socket, transport);
    const mayConnect = peer !== null && !this.#closed && this.#fromPeers < MAX_FROM_PEERS && events.admits(peer);
    const release = mayConnect ? (events.connects ?? uncounted)(peer) : null;
    if (release === null) {
      socket.destroy();
      return false;
    }
    this.#fromPeers += 1;
    socket.once("close", () => {
      this.#fromPeers -= 1;
      release();
    });
    return true;
  }

  #accept(socket: Socket, transport: TransportName): void {
    socket.on("error", () => undefined);
    const peer = peerOf(socket, transport);
    if (peer === null || this.#closed) socket.destroy();
    else this.#keep(socket, peer, false);
  }

  #openSocket({ transport, address, port, domain, owner }: Target): Socket {
    const local = { host: address, port, localAddress: this.#options.address, family: isIPv6(address) ? 6 : 4 };
    if (transport === "TCP") return connectTcp(local);
    if (domain === null) throw new Error("The TLS connection is closed, and no domain is known to verify a new one.");
    return connectTls({ ...local, ...tlsOptions(domain, owner?.tls ?? {}) });
  }

  #keep(socket: Socket, peer: Target, opened: boolean): StreamConnection {
    const connection = new StreamConnection(socket, {
      peer,
      opened,
      times: this.#options.times,
      events: { message: (bytes) => this.#receive(bytes, peer) },
    });
    const key = targetKey(peer);
    this.#connections.set(key, connection);
    void this.#awaitEnd(key, connection);
    return connection;
  }

  async #awaitEnd(key: string, connection: StreamConnection): Promise<void> {
    const problem = await connection.ended;
    this.#forget(key, connection, problem);
  }

  /** Once for each connection: a new one to the same target may be open already. */
  #forget(key: string, connection: StreamConnection, problem: Error): void {
    if (this.#connections.get(key) !== connection) return;
    this.#connections.delete(key);
    if (!this.#closed) this.#options.events.connectionLost(connection.peer, problem);
  }

  #receive(bytes: Uint8Array, source: Target): void {
    const { events } = this.#options;
    if (this.#closed) return;
    try {
      if (!events.admits(source, bytes)) return;
      const result = parseMessage(bytes);
      if (!result.ok) return events.malformed(result.problem, result.refusal && stampRefusal(result.refusal, source), source);
      const { message } = result;
      if (events.accepts?.(message, source) === false) return;
      events.message(message.kind === "request" ? stampSource(message, source) : message, source);
    } catch (error) {
      // One message must not affect the others.
      events.problem(error as Error);
    }
  }
}

/** Null if the peer has gone already. */
function peerOf({ remoteAddress, remotePort }: Socket, transport: TransportName): Target | null {
  if (remoteAddress === undefined || remotePort === undefined) return null;
  return { transport, address: remoteAddress.replace(/^::ffff:/, ""), port: remotePort, domain: null };
}

function remoteOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function uncounted(): () => void {
  return () => undefined;
}
