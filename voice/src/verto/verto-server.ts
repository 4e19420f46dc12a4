import type { Server } from "node:http";
import type { Logger } from "pino";
import { WebSocketServer } from "ws";
import { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import type { Call } from "../calls/call.ts";
import type { Calls } from "../calls/calls.ts";
import type { BrowserUpgrade } from "../nodes/forwarded-browsers.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { UpgradeHandler, type NewBrowser } from "./upgrade-handler.ts";
import { refuseUpgrade } from "../refuse-upgrade.ts";
import { callRequestHandlers } from "./call-requests.ts";
import { MAX_FRAME_BYTES } from "./frames.ts";
import { DEFAULT_KEEP_ALIVE, VertoConnection, type KeepAlive } from "./verto-connection.ts";
import { VoiceSessions, type VoiceAccount } from "./voice-sessions.ts";

interface VertoOptions {
  readonly nodes: Nodes;
  readonly calls: Calls;
  readonly connectionId: string;
  readonly verifyToken: (token: string) => Promise<VoiceAccount | null>;
  /** Values of `Origin` that may open a socket. */
  readonly allowedOrigins: readonly string[];
  readonly maxSignedIn: number;
  readonly maxSocketsPerAccount: number;
  /** Number of trusted reverse proxies (`X-Forwarded-For`); 0 uses the connection's address. */
  readonly trustedProxies: number;
  readonly keepAlive?: KeepAlive;
  readonly log: Logger;
}

/** The exchange's interface for browsers: JSON-RPC over WebSocket as in `@telnyx/webrtc` 2.27. */
export interface VertoServer {
  /** Handles WebSocket upgrades on any path of this HTTP server. */
  listenOn(server: Server): void;
  /** Accepts a browser forwarded by another node; refuses it with 404 if its session has no call here. */
  acceptForwarded(browser: BrowserUpgrade): void;
  /** Signs out all browsers of a credential and ends their calls. */
  signOut(credentialId: string): void;
  /** Moves a live call to another browser of its account and of the session that asks. @throws CallProblem `wrong_state` */
  move(call: Call, sessid: string, isOfMover: (account: VoiceAccount) => boolean): void;
  /** Says to balancers that it is not ready, and serves as before. */
  announceStop(): void;
  /**
   * Refuses browsers without a live call from now on, and closes their sockets, later also those of each browser whose last call ends.
   * They reconnect to another node.
   */
  drain(): void;
  /** Whether balancers may send it browsers. */
  readonly ready: boolean;
  /** Open sockets, signed in or not. */
  readonly openSockets: number;
  readonly forwardedSockets: number;
  close(): void;
}

function signOut(sessions: VoiceSessions, credentialId: string): void {
  for (const session of sessions.ofCredential(credentialId)) {
    // On a punt the SDK drops its calls without a bye.
    for (const { call } of session.calls.values()) if (!call.over) call.hangUp();
    session.socket?.request("telnyx_rtc.punt", {});
    session.socket?.end();
    sessions.forget(session);
  }
}

export function createVertoServer(options: VertoOptions): VertoServer {
  const { log } = options;
  const sessions = new VoiceSessions(options.nodes.name);
  const handlers = callRequestHandlers({ calls: options.calls, connectionId: options.connectionId, log });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  const connections = new Set<VertoConnection>();
  const signedIn = new Set<VertoConnection>();
  const limitedLog = new RateLimitedLog(log);
  let ready = true;
  let draining = false;
  const upgrades = new UpgradeHandler({ ...options, limitedLog, draining: () => draining, accept });

  function accept({ request, socket, head, voiceSdkId, slot }: NewBrowser): void {
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
          slot.free();
          return true;
        },
        keepAlive: options.keepAlive ?? DEFAULT_KEEP_ALIVE,
        log,
        limitedLog,
      });
      connections.add(connection);
      webSocket.on("close", () => {
        connections.delete(connection);
        signedIn.delete(connection);
      });
    });
  }

  return {
    listenOn: (server) => upgrades.listenOn(server),
    acceptForwarded(browser) {
      if (!sessions.hasCall(browser.voiceSdkId)) return refuseUpgrade(browser.socket, "404 Not Found");
      upgrades.acceptForwarded(browser);
    },
    signOut: (credentialId) => signOut(sessions, credentialId),
    move: (call, sessid, isOfMover) => sessions.move(call, sessid, isOfMover),
    announceStop() {
      ready = false;
    },
    drain() {
      ready = false;
      draining = true;
      sessions.drain();
      upgrades.closeForwarded();
      for (const connection of connections) if (!connection.hasCall) connection.end();
    },
    get ready() {
      return ready;
    },
    get openSockets() {
      return connections.size;
    },
    get forwardedSockets() {
      return upgrades.forwarded;
    },
    close() {
      upgrades.closeForwarded();
      for (const connection of connections) connection.end();
      sockets.close();
    },
  };
}
