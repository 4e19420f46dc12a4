import { createSocket } from "node:dgram";
import { createServer as createTcpServer, isIPv6, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { StreamFramer } from "@farline/sip/transport/stream-framer.ts";

/** Handles a message; `send` replies to its source. */
export type CarrierHandler = (message: string, send: (text: string) => void) => void;

/** A carrier over plain sockets, for cases that SIPp does not support: TLS, broken connections, SHA-256. */
export interface SocketCarrier {
  readonly port: number;
  /** All received messages. */
  readonly heard: string[];
  /** Open connections; none over UDP. */
  readonly connections: Set<Socket>;
  close(): Promise<void>;
}

export async function startSocketCarrier(
  transport: "udp" | "tcp" | "tls",
  handle: CarrierHandler,
  tls: TlsOptions = {},
  { port = 0, host = "127.0.0.1" }: { port?: number; host?: string } = {},
) {
  return transport === "udp" ? startUdp(handle, host) : startStream(handle, transport === "tls" ? tls : null, port, host);
}

async function startUdp(handle: CarrierHandler, host: string): Promise<SocketCarrier> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  const heard: string[] = [];
  socket.on("message", (datagram, from) => {
    heard.push(datagram.toString());
    handle(datagram.toString(), (text) => socket.send(text, from.port, from.address));
  });
  await new Promise<void>((resolve) => socket.bind(0, host, resolve));
  return {
    port: socket.address().port,
    heard,
    connections: new Set(),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

async function startStream(handle: CarrierHandler, tls: TlsOptions | null, port: number, host: string): Promise<SocketCarrier> {
  const heard: string[] = [];
  const connections = new Set<Socket>();
  const onConnection = (socket: Socket): void => {
    const framer = new StreamFramer();
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    socket.on("error", () => undefined); // tests break connections
    socket.on("data", (chunk) => {
      for (const bytes of framer.push(chunk, performance.now()).messages) {
        const message = Buffer.from(bytes).toString();
        heard.push(message);
        handle(message, (text) => socket.write(text));
      }
    });
  };
  const server: Server = tls === null ? createTcpServer(onConnection) : createTlsServer(tls, onConnection);
  server.on("tlsClientError", () => undefined); // tests connect with bad certificates
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    connections,
    async close() {
      for (const socket of connections) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A header's value. */
export function fieldOf(message: string, name: string): string {
  return new RegExp(`^${name}: *(.*)$`, "im").exec(message)?.[1]?.trim() ?? "";
}

export interface Reply {
  readonly headers?: readonly string[];
  readonly sdp?: string;
  /** Added to To if the request has none. */
  readonly tag?: string;
}

/** A response to a request. */
export function replyTo(request: string, status: string, { headers = [], sdp = "", tag = "carrier" }: Reply = {}): string {
  const to = fieldOf(request, "To");
  return [
    `SIP/2.0 ${status}`,
    ...[...request.matchAll(/^Via: .*$/gim)].map(([line]) => line.trim()),
    `From: ${fieldOf(request, "From")}`,
    `To: ${to.includes(";tag=") || status.startsWith("100") ? to : `${to};tag=${tag}`}`,
    `Call-ID: ${fieldOf(request, "Call-ID")}`,
    `CSeq: ${fieldOf(request, "CSeq")}`,
    ...headers,
    ...(sdp === "" ? [] : ["Content-Type: application/sdp"]),
    `Content-Length: ${Buffer.byteLength(sdp)}`,
    "",
    sdp,
  ].join("\r\n");
}

/** A request of the carrier in the dialog of `invite`. */
export function requestInDialog(
  invite: string,
  method: string,
  cseq: number,
  { headers = [], sdp = "", tag = "carrier" }: Reply = {},
) {
  return [
    `${method} ${/<(.*)>/.exec(fieldOf(invite, "Contact"))?.[1] ?? ""} SIP/2.0`,
    `Via: SIP/2.0/TCP 127.0.0.1:5060;branch=z9hG4bK${method}${cseq}${fieldOf(invite, "Call-ID")}`,
    `From: ${fieldOf(invite, "To")};tag=${tag}`,
    `To: ${fieldOf(invite, "From")}`,
    `Call-ID: ${fieldOf(invite, "Call-ID")}`,
    `CSeq: ${cseq} ${method}`,
    "Contact: <sip:carrier@127.0.0.1:5060>",
    "Max-Forwards: 70",
    ...headers,
    ...(sdp === "" ? [] : ["Content-Type: application/sdp"]),
    `Content-Length: ${Buffer.byteLength(sdp)}`,
    "",
    sdp,
  ].join("\r\n");
}

/** Answers calls at once and confirms their ends. @param port the carrier's, for UDP */
export function answerCalls(sdp: string, port = 5060): CarrierHandler {
  return (message, send) => {
    const contact = { headers: [`Contact: <sip:carrier@127.0.0.1:${port}>`] };
    if (message.startsWith("INVITE ")) {
      send(replyTo(message, "100 Trying"));
      send(replyTo(message, "200 OK", { ...contact, sdp }));
    } else if (/^(BYE|OPTIONS|CANCEL) /.test(message)) send(replyTo(message, "200 OK"));
  };
}
