import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { WebSocketServer } from "ws";
import { RareLines } from "../bounds/rare-lines.ts";
import type { Calls } from "../calls/calls.ts";
import { clientAddress } from "./client-address.ts";
import { callRequestHandlers } from "./call-requests.ts";
import { MAX_FRAME_BYTES } from "./frames.ts";
import { usualKeepAlive, VertoConnection, type KeepAlive } from "./verto-connection.ts";
import { VoiceSessions, type VoiceAccount } from "./voice-sessions.ts";
import { WaitingSockets, type WaitingPlace } from "./waiting-sockets.ts";

export interface VertoOptions {
  readonly calls: Calls;
  readonly connectionId: string;
  readonly verifyToken: (token: string) => Promise<VoiceAccount | null>;
  /** Pages that may open a socket, as `Origin` names them. */
  readonly allowedOrigins: readonly string[];
  /** Maximum concurrent signed-in sockets. Anonymous ones have their own limit. */
  readonly maxSignedIn: number;
  readonly maxSocketsPerAccount: number;
  /** Number of trusted reverse proxies (`X-Forwarded-For`); 0 uses the sender's own address. */
  readonly trustedProxies: number;
  readonly keepAlive?: KeepAlive;
  readonly log: Logger;
}

/** The browsers' side of the exchange: JSON-RPC over WebSocket as `@telnyx/webrtc` 2.27 speaks it. */
export interface VertoServer {
  /** Takes WebSocket upgrades on any path of this HTTP server. */
  listenOn(server: Server): void;
  /** Signs out every browser of a credential permanently and ends its calls. */
  signOut(credentialId: string): void;
  /** Refuses browsers without a live call from now on, and closes their sockets: they come back to another node, or later. */
  drain(): void;
  /** Whether it drains. */
  readonly draining: boolean;
  /** Open sockets, signed in or not. */
  readonly openSockets: number;
  close(): void;
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function signOut(sessions: VoiceSessions, credentialId: string): void {
  for (const session of sessions.of(credentialId)) {
    // The SDK drops its calls on a punt without a bye, so they end here.
    for (const { call } of session.calls.values()) if (!call.over) call.hangUp();
    session.socket?.request("telnyx_rtc.punt", {});
    session.socket?.end();
    sessions.forget(session);
  }
}

export function createVertoServer(options: VertoOptions): VertoServer {
  const { log } = options;
  const sessions = new VoiceSessions();
  const origins = new Set(options.allowedOrigins);
  const handlers = callRequestHandlers({ calls: options.calls, connectionId: options.connectionId, log });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  const connections = new Set<VertoConnection>();
  const signedIn = new Set<VertoConnection>();
  const waiting = new WaitingSockets();
  const rareLines = new RareLines(log);
  const places = new WeakMap<Duplex, WaitingPlace>();
  let draining = false;

  /** Counts a connection before it says anything. Behind a proxy the sender is known with the request only. */
  function connected(socket: Socket): void {
    if (options.trustedProxies === 0) places.set(socket, waiting.add(socket, socket.remoteAddress ?? ""));
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", (error) => log.debug({ err: error }, "socket error before the upgrade"));
    const { origin } = request.headers;
    if (origin === undefined || !origins.has(origin)) {
      rareLines.warn({ origin: origin?.slice(0, 200) }, "socket refused: foreign origin");
      return refuseUpgrade(socket, "403 Forbidden");
    }
    const place = places.get(socket) ?? waiting.add(socket, clientAddress(request, options.trustedProxies));
    // oxlint-disable-next-line farline/no-raw-url -- the query of an upgrade, which has no router; nothing is decided by its path
    const query = (request.url ?? "").split("?")[1] ?? "";
    const voiceSdkId = new URLSearchParams(query).get("voice_sdk_id");
    if (draining && !sessions.hasCall(voiceSdkId)) return refuseUpgrade(socket, "503 Service Unavailable");
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new VertoConnection(webSocket, voiceSdkId, {
        sessions,
        handlers,
        verifyToken: options.verifyToken,
        maxSocketsPerAccount: options.maxSocketsPerAccount,
        signIn() {
          if (!signedIn.has(connection) && signedIn.size >= options.maxSignedIn) return false;
          signedIn.add(connection);
          place.leave();
          return true;
        },
        keepAlive: options.keepAlive ?? usualKeepAlive,
        log,
        rareLines,
      });
      connections.add(connection);
      webSocket.on("close", () => {
        connections.delete(connection);
        signedIn.delete(connection);
      });
    });
  }

  return {
    listenOn: (server) => void server.on("connection", connected).on("upgrade", upgrade),
    signOut: (credentialId) => signOut(sessions, credentialId),
    drain() {
      draining = true;
      for (const connection of connections) if (!connection.hasCall) connection.end();
    },
    get draining() {
      return draining;
    },
    get openSockets() {
      return connections.size;
    },
    close() {
      for (const connection of connections) connection.end();
      sockets.close();
    },
  };
}
