import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { CallerIds } from "../calls/caller-ids.ts";
import { createCalls } from "../calls/calls.ts";
import { ScriptedMediaSource, ScriptedNetwork, silentLog } from "../../test/scripted-ports.ts";
import { SdkClient } from "../../test/sdk-client.ts";
import { Nodes } from "../nodes/nodes.ts";
import { createVertoServer, type VertoServer } from "./verto-server.ts";

const origin = "http://localhost:3000";
const keepAlive = { pingIntervalMs: 20, deadAfterMs: 400 };

let verto: VertoServer;
let url: string;
let http: Server;
beforeEach(async () => {
  http = createServer();
  const parts = { media: new ScriptedMediaSource(), network: new ScriptedNetwork(), emit: () => undefined, log: silentLog };
  verto = createVertoServer({
    nodes: new Nodes("a", new Map(), "KEYtest"),
    calls: createCalls({
      node: "a",
      ...parts,
      callerIds: new CallerIds("+12025550143", [new Uint8Array(32)]),
      maxCalls: 1,
      maxCallsPerAccount: 1,
    }),
    connectionId: "1",
    verifyToken: async () => ({
      credentialId: "c",
      accountId: "a",
      sessionMark: "s",
      username: "gencred1",
      tokenExpiresAt: new Date(Date.now() + 60_000),
    }),
    allowedOrigins: [origin],
    maxSignedIn: 2,
    trustedProxies: 0,
    maxSocketsPerAccount: 3,
    keepAlive,
    log: silentLog,
  });
  verto.listenOn(http);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  verto.close();
  http.closeAllConnections();
  http.close();
  await once(http, "close");
});

describe("keep-alive", () => {
  test("a socket that answers pings stays open, and a silent one is closed", async () => {
    const living = await SdkClient.open(url, origin);
    await living.login("token");
    const silent = new WebSocket(url, { origin });
    await once(silent, "open");
    await once(silent, "close");
    expect(living.socket.readyState).toBe(WebSocket.OPEN);
    // The browser answered each of the exchange's pings with its own ping, and got a pong.
    await expect.poll(() => living.received.filter(({ result }) => result?.["message"] === "pong").length).toBeGreaterThan(3);
    await living.close();
  });

  test("a login beyond the limit is refused, and succeeds after another socket has closed", async () => {
    const [first, second, third] = [
      await SdkClient.open(url, origin),
      await SdkClient.open(url, origin),
      await SdkClient.open(url, origin),
    ];
    await first.login("token");
    await second.login("token");
    await expect(third.login("token")).rejects.toThrow("Too many connections");
    first.drop();
    await expect.poll(() => verto.openSockets).toBe(2);
    await third.login("token");
    for (const client of [second, third]) client.drop();
    await expect.poll(() => verto.openSockets).toBe(0);
  });
});
