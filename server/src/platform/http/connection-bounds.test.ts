import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { promisify } from "node:util";
import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { type App, CONNECTION_TIMES, CONNECTIONS_PER_HOST, createApp, MAX_CONNECTIONS } from "./http.ts";

const SOON = { headersTimeout: 150, requestTimeout: 150, connectionsCheckingInterval: 20, keepAliveTimeout: 100 };
const HEAD = "POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";

const open: { app: App; sockets: Socket[] } = { app: undefined as unknown as App, sockets: [] };
afterEach(async () => {
  for (const socket of open.sockets.splice(0)) socket.destroy();
  await open.app.close();
});

async function listening(options: Partial<Parameters<typeof createApp>[0]>) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const app = createApp({ log, trustedProxies: 0, ...options });
  open.app = app;
  app.post("/api/echo", { config: { access: "visitor" } }, async () => ({ ok: true }));
  app.get("/api/open", { config: { access: "visitor" } }, async () => ({ ok: true }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  /** Connects and sends; `ended` is what was received until the service closed the connection. */
  const dial = (says: string, from = "127.0.0.1") => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    open.sockets.push(socket);
    let received = "";
    socket.on("data", (chunk) => (received += String(chunk)));
    socket.on("error", () => {});
    socket.write(says);
    // A connection may be cut while this side writes, which `once` would take for a failure.
    return { socket, ended: new Promise<string>((resolve) => socket.once("close", () => resolve(received))) };
  };
  return { app, lines, dial };
}

test("production limits how long and how many connections may be open", async () => {
  const { app } = await listening({});
  expect(app.server).toMatchObject({
    headersTimeout: CONNECTION_TIMES.headersTimeout,
    requestTimeout: CONNECTION_TIMES.requestTimeout,
    keepAliveTimeout: CONNECTION_TIMES.keepAliveTimeout,
    maxConnections: MAX_CONNECTIONS,
  });
  const { headersTimeout, requestTimeout, connectionsCheckingInterval } = CONNECTION_TIMES;
  expect(Math.max(headersTimeout, requestTimeout) + connectionsCheckingInterval).toBeLessThan(20_000);
});

test.each([
  ["nothing", ""],
  ["a part of a head", "GET / HTTP/1.1\r\nHost: x\r\n"],
  ["a part of a body", `${HEAD}{"a":`],
])("a connection that sends %s is cut", async (_what, says) => {
  const { dial } = await listening({ times: SOON });
  expect(await dial(says).ended).toMatch(/^(HTTP\/1\.1 408 .*)?$/s);
});

test("a body sent a byte at a time is cut like one that stops", async () => {
  const { dial } = await listening({ times: SOON });
  const { socket, ended } = dial(HEAD);
  const drip = setInterval(() => socket.write(" "), 20);
  expect(await ended.finally(() => clearInterval(drip))).not.toContain(" 200 ");
});

test("an upload aborted by its sender is refused, not logged as a service error", async () => {
  const { app, dial, lines } = await listening({});
  const { socket } = dial(`${HEAD}{"a":`);
  await once(app.server, "request");
  socket.destroy();
  await expect
    .poll(() => lines.filter((line) => "route" in line))
    .toEqual([expect.objectContaining({ level: 30, code: "malformed_request", route: "/api/echo" })]);
});

test("connections of one address are limited, and other addresses can still connect", async () => {
  const { dial, app } = await listening({ limitsScale: 5 / CONNECTIONS_PER_HOST });
  const many = Array.from({ length: 20 }, () => dial(""));
  const refused = await Promise.all(many.slice(5).map(({ ended }) => ended));
  expect(refused).toEqual(refused.map(() => ""));
  const other = dial("GET /api/open HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "127.0.0.2");
  expect(await other.ended).toContain('{"ok":true}');
  for (const { socket } of many) socket.destroy();
  await expect
    .poll(() => promisify((done: (error: Error | null, count: number) => void) => app.server.getConnections(done))())
    .toBe(0);
  const again = dial("GET /api/open HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(await again.ended).toContain('{"ok":true}');
});

test("connections of one network are limited too, but not those of a trusted proxy", async () => {
  const { dial } = await listening({ limitsScale: 1 / CONNECTIONS_PER_HOST });
  const ends = Array.from({ length: 20 }, (_, index) => dial("", `127.0.9.${index + 1}`).ended);
  await Promise.all(ends.slice(16));
  for (const socket of open.sockets.splice(0)) socket.destroy();
  await open.app.close();
  const proxied = await listening({ limitsScale: 1 / CONNECTIONS_PER_HOST, trustedProxies: 1 });
  const answers = [1, 2, 3].map(() => proxied.dial("GET /api/open HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ended);
  for (const answer of await Promise.all(answers)) expect(answer).toContain('{"ok":true}');
});
