import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createCalls } from "../calls/calls.ts";
import { ScriptedMediaSource, ScriptedNetwork, silentLog } from "../calls/scripted-parts.ts";
import { SdkClient } from "./sdk-client.ts";
import { createVertoServer, type VertoServer } from "./verto-server.ts";

const origin = "http://localhost:3000";
const keepAlive = { pingIntervalMs: 20, deadAfterMs: 400 };

let verto: VertoServer;
let url: string;
const http = createServer();
beforeEach(async () => {
  const parts = { media: new ScriptedMediaSource(), network: new ScriptedNetwork(), emit: () => undefined, log: silentLog };
  verto = createVertoServer({
    calls: createCalls({ ...parts, callerNumber: "+12025550143", maxCalls: 1, maxCallsPerAccount: 1 }),
    connectionId: "1",
    verifyToken: async () => ({ credentialId: "c", username: "gencred1", tokenExpiresAt: new Date(Date.now() + 60_000) }),
    allowedOrigins: [origin],
    maxSockets: 2,
    maxSocketsPerAccount: 2,
    keepAlive,
    log: silentLog,
  });
  http.removeAllListeners("upgrade");
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
  test("a socket that answers pings stays, one that falls silent is dropped", async () => {
    const living = await SdkClient.open(url, origin);
    await living.login("token");
    const silent = new WebSocket(url, { origin });
    await once(silent, "open");
    await once(silent, "close");
    expect(living.socket.readyState).toBe(WebSocket.OPEN);
    // Each of the exchange's pings was answered by one of the browser's own, and that one by a pong.
    await expect.poll(() => living.received.filter(({ result }) => result?.["message"] === "pong").length).toBeGreaterThan(3);
    await living.close();
  });

  test("sockets beyond the limit are refused before they are opened", async () => {
    const open = [await SdkClient.open(url, origin), await SdkClient.open(url, origin)];
    const third = new WebSocket(url, { origin });
    const [error] = (await once(third, "error")) as [Error];
    expect(error.message).toContain("503");
    for (const client of open) client.drop();
    await expect.poll(() => verto.openSockets).toBe(0);
  });
});
