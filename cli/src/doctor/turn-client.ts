import { createHash, createHmac, randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect as connectTcp, isIP, isIPv4, isIPv6, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Message types and attributes of STUN (RFC 8489 §18) and TURN (RFC 8656 §17, §18). */
const ALLOCATE = 0x0003;
const REFRESH = 0x0004;
const CREATE_PERMISSION = 0x0008;
const SUCCESS = 0x0100;
const USERNAME = 0x0006;
const MESSAGE_INTEGRITY = 0x0008;
const ERROR_CODE = 0x0009;
const LIFETIME = 0x000d;
const XOR_PEER_ADDRESS = 0x0012;
const REALM = 0x0014;
const NONCE = 0x0015;
const REQUESTED_TRANSPORT = 0x0019;
const UDP = Buffer.from([17, 0, 0, 0]);
const NO_LIFETIME = Buffer.alloc(4);
const MAGIC_COOKIE = 0x2112_a442;
const HEADER_BYTES = 20;
const INTEGRITY_BYTES = 24;
const CONNECT_LIMIT_MS = 4_000;
const ANSWER_LIMIT_MS = 3_000;
/** RFC 8489 §6.2.1 for UDP, but with fewer attempts, because a person is waiting. */
const RETRANSMIT_MS = 500;
const MAX_MESSAGE_BYTES = 4_096;
const DEFAULT_PORT = { turn: 3478, turns: 5349 } as const;

interface RelayCredentials {
  readonly username: string;
  readonly credential: string;
}

/** A refusal by the relay, for example 401 for wrong or expired credentials (RFC 8656 §19). */
export class RelayRefusal extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`refused with ${code}`);
    this.code = code;
  }
}

interface Message {
  readonly type: number;
  readonly attributes: ReadonlyMap<number, Buffer>;
}

type Attribute = readonly [type: number, value: Buffer];

/** An allocation at a relay (RFC 8656 §7), used only to test what the relay permits. */
export class RelayAllocation {
  readonly #connection: RelayConnection;
  readonly #credentials: RelayCredentials;
  #realm = Buffer.alloc(0);
  #nonce = Buffer.alloc(0);

  private constructor(connection: RelayConnection, credentials: RelayCredentials) {
    this.#connection = connection;
    this.#credentials = credentials;
  }

  /**
   * @param url RFC 7065
   * @throws RelayRefusal, or a network error
   */
  static async open(url: string, credentials: RelayCredentials): Promise<RelayAllocation> {
    const connection = await openRelayConnection(url);
    const allocation = new RelayAllocation(connection, credentials);
    try {
      await allocation.#allocate();
      return allocation;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Whether the relay would forward datagrams to and from this IPv4 address (RFC 8656 §9). @throws Error without a response */
  async permits(peer: string): Promise<boolean> {
    try {
      await this.#ask(CREATE_PERMISSION, [[XOR_PEER_ADDRESS, xorAddress(peer)]]);
      return true;
    } catch (error) {
      if (error instanceof RelayRefusal) return false;
      throw error;
    }
  }

  /** Releases the allocation, so that it does not count against the user's quota. */
  async close(): Promise<void> {
    await this.#ask(REFRESH, [[LIFETIME, NO_LIFETIME]]).catch(() => undefined);
    this.#connection.close();
  }

  /** The first response contains realm and nonce (RFC 8489 §9.2.3). */
  async #allocate(): Promise<void> {
    const transport: Attribute = [REQUESTED_TRANSPORT, UDP];
    const challenge = await this.#exchange(ALLOCATE, encode(ALLOCATE, [transport]));
    this.#realm = Buffer.from(challenge.attributes.get(REALM) ?? "");
    this.#nonce = Buffer.from(challenge.attributes.get(NONCE) ?? "");
    await this.#ask(ALLOCATE, [transport]);
  }

  async #ask(type: number, attributes: readonly Attribute[]): Promise<void> {
    const { username, credential } = this.#credentials;
    const key = createHash("md5").update(`${username}:${this.#realm.toString()}:${credential}`).digest();
    const signed: Attribute[] = [...attributes, [USERNAME, Buffer.from(username)], [REALM, this.#realm], [NONCE, this.#nonce]];
    const answer = await this.#exchange(type, encode(type, signed, key));
    const code = answer.attributes.get(ERROR_CODE);
    if (code !== undefined) throw new RelayRefusal(code.readUInt8(2) * 100 + code.readUInt8(3));
    if (answer.type !== (type | SUCCESS)) throw new Error(`answered with message type ${answer.type}`);
  }

  async #exchange(type: number, request: Buffer): Promise<Message> {
    const answer = decode(await this.#connection.exchange(request));
    if (answer === null || (answer.type & 0x3eef) !== type) throw new Error("answered with something other than TURN");
    return answer;
  }
}

function encode(type: number, attributes: readonly Attribute[], key: Buffer | null = null): Buffer {
  const body = Buffer.concat(attributes.map(encodeAttribute));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(body.length + (key === null ? 0 : INTEGRITY_BYTES), 2);
  header.writeUInt32BE(MAGIC_COOKIE, 4);
  randomBytes(12).copy(header, 8);
  const message = Buffer.concat([header, body]);
  if (key === null) return message;
  const integrity = createHmac("sha1", key).update(message).digest();
  return Buffer.concat([message, encodeAttribute([MESSAGE_INTEGRITY, integrity])]);
}

function encodeAttribute([type, value]: Attribute): Buffer {
  const padded = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  padded.writeUInt16BE(type, 0);
  padded.writeUInt16BE(value.length, 2);
  value.copy(padded, 4);
  return padded;
}

function decode(message: Buffer): Message | null {
  if (message.length < HEADER_BYTES || message.readUInt32BE(4) !== MAGIC_COOKIE) return null;
  const attributes = new Map<number, Buffer>();
  for (let at = HEADER_BYTES; at + 4 <= message.length;) {
    const length = message.readUInt16BE(at + 2);
    attributes.set(message.readUInt16BE(at), message.subarray(at + 4, at + 4 + length));
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return { type: message.readUInt16BE(0), attributes };
}

/** RFC 8489 §14.2, for IPv4. */
function xorAddress(address: string): Buffer {
  if (!isIPv4(address)) throw new Error(`${address} is not an IPv4 address`);
  const value = Buffer.alloc(8);
  value.writeUInt8(1, 1);
  value.writeUInt16BE(9 ^ (MAGIC_COOKIE >>> 16), 2);
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  value.writeUInt32BE((((a << 24) | (b << 16) | (c << 8) | d) ^ MAGIC_COOKIE) >>> 0, 4);
  return value;
}

/** One request at a time to a relay. */
interface RelayConnection {
  /** @returns the response with the request's transaction id @throws Error if none arrives in time */
  exchange(request: Buffer): Promise<Buffer>;
  close(): void;
}

/**
 * @param url RFC 7065; certificates are verified
 * @throws Error from the network
 */
async function openRelayConnection(url: string): Promise<RelayConnection> {
  const { secure, host, port, transport } = readRelayUrl(url);
  if (transport === "udp" && !secure) return overUdp(host, port);
  if (transport === "udp") throw new Error("it uses DTLS, which browsers do not support");
  const socket = secure ? connectTls({ host, port, servername: isIP(host) === 0 ? host : "" }) : connectTcp({ host, port });
  try {
    await once(socket, secure ? "secureConnect" : "connect", { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
    return overStream(socket);
  } catch (error) {
    socket.destroy();
    throw (error as Error).name === "AbortError" ? new Error("no connection within 4 seconds", { cause: error }) : error;
  }
}

function readRelayUrl(url: string) {
  const match = /^(turns?):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(udp|tcp))?$/.exec(url);
  if (match === null) throw new Error("it must be like turn:turn.example.com:3478?transport=udp");
  const [, scheme = "turn", host = "", port, transport] = match;
  const secure = scheme === "turns";
  return {
    secure,
    host: host.replace(/^\[|\]$/g, ""),
    port: Number(port ?? DEFAULT_PORT[secure ? "turns" : "turn"]),
    transport: transport ?? (secure ? "tcp" : "udp"),
  };
}

async function overUdp(host: string, port: number): Promise<RelayConnection> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  // An error between two exchanges shows up as a time-out of the next one.
  socket.on("error", () => undefined);
  try {
    socket.connect(port, host);
    await once(socket, "connect", { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
  } catch (error) {
    socket.close();
    throw error;
  }
  return {
    async exchange(request) {
      socket.send(request);
      const again = setInterval(() => socket.send(request), RETRANSMIT_MS);
      try {
        return await answerTo(request, (take) => {
          socket.on("message", take);
          return () => socket.off("message", take);
        });
      } finally {
        clearInterval(again);
      }
    },
    close: () => socket.close(),
  };
}

/** STUN over a stream is framed by its own length field (RFC 8489 §6.2.2). */
function overStream(socket: Socket): RelayConnection {
  // A lost connection shows up as a time-out of the request.
  socket.on("error", () => undefined);
  return {
    async exchange(request) {
      socket.write(request);
      return answerTo(request, (take) => {
        let received = Buffer.alloc(0);
        const onData = (chunk: Buffer): void => {
          received = Buffer.concat([received, chunk]);
          if (received.length > MAX_MESSAGE_BYTES) socket.destroy();
          const end = received.length < HEADER_BYTES ? Infinity : HEADER_BYTES + received.readUInt16BE(2);
          if (received.length >= end) take(received.subarray(0, end));
        };
        socket.on("data", onData);
        return () => socket.off("data", onData);
      });
    },
    close: () => socket.destroy(),
  };
}

type Listen = (take: (message: Buffer) => void) => () => void;

function answerTo(request: Buffer, listen: Listen): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stop = listen((message) => {
      // Bytes 8 to 19 are the transaction id.
      if (message.length < HEADER_BYTES || message.compare(request, 8, 20, 8, 20) !== 0) return;
      clearTimeout(tooLate);
      stop();
      resolve(message);
    });
    const tooLate = setTimeout(() => {
      stop();
      reject(new Error("no answer within 3 seconds"));
    }, ANSWER_LIMIT_MS);
  });
}
