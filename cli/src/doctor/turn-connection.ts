import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect as connectTcp, isIP, isIPv6, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const CONNECT_LIMIT_MS = 4_000;
const ANSWER_LIMIT_MS = 3_000;
/** RFC 8489 §6.2.1 for UDP, but with fewer attempts, because a person is waiting. */
const RETRANSMIT_MS = 500;
const HEADER_BYTES = 20;
const MAX_MESSAGE_BYTES = 4_096;
const DEFAULT_PORT = { turn: 3478, turns: 5349 } as const;

/** One request at a time to a relay. */
export interface RelayConnection {
  /** @returns the response with the request's transaction id @throws Error if none arrives in time */
  exchange(request: Buffer): Promise<Buffer>;
  close(): void;
}

/**
 * @param url RFC 7065; certificates are verified
 * @throws Error from the network
 */
export async function openRelayConnection(url: string): Promise<RelayConnection> {
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
