import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { checkPublicUrl, checkVoiceSocket } from "./check-public-urls.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(answer: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

const answering = (statuses: Record<string, number>) =>
  serve((request, response) => response.writeHead(statuses[request.url ?? ""] ?? 404).end());

test("a PUBLIC_URL behind which webhooks without a signature are refused is ok", async () => {
  const { port } = await answering({ "/api/health": 200, "/api/webhooks/telnyx": 401, "/api/webhooks/stripe": 400 });
  const findings = await checkPublicUrl(`http://127.0.0.1:${port}`);
  expect(findings.map(({ level }) => level)).toEqual(["ok", "ok", "ok"]);
});

test("a proxy that blocks webhooks, or a service that accepts unsigned ones, is a fault", async () => {
  const { port } = await answering({ "/api/health": 200, "/api/webhooks/telnyx": 403, "/api/webhooks/stripe": 200 });
  const [, telnyx, stripe] = await checkPublicUrl(`http://127.0.0.1:${port}`);
  expect(telnyx).toMatchObject({ level: "fault", text: expect.stringContaining("got 403") });
  expect(stripe).toMatchObject({ level: "fault", text: expect.stringContaining("got 200") });
});

test("a PUBLIC_URL that leads elsewhere or nowhere is a fault", async () => {
  const { port } = await answering({});
  expect(await checkPublicUrl(`http://127.0.0.1:${port}`)).toMatchObject([
    { level: "fault", text: expect.stringContaining("with 404") },
  ]);
  expect(await checkPublicUrl("http://127.0.0.1:1")).toMatchObject([
    { level: "fault", text: expect.stringContaining("does not answer") },
  ]);
});

test("a WebSocket that the exchange opens for the pages' origin is ok, one that it refuses a fault", async () => {
  const { server, port } = await answering({});
  server.on("upgrade", (request, socket) => {
    const open = request.headers.origin === "https://farline.example";
    socket.end(
      open
        ? "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        : "HTTP/1.1 403 Forbidden\r\n\r\n",
    );
  });
  expect(await checkVoiceSocket(`ws://127.0.0.1:${port}`, "https://farline.example/")).toMatchObject([{ level: "ok" }]);
  expect(await checkVoiceSocket(`ws://127.0.0.1:${port}`, "https://other.example")).toMatchObject([
    { level: "fault", text: expect.stringContaining("add it to ALLOWED_ORIGINS") },
  ]);
});

test("a proxy that does not forward upgrades, and a server without TLS, are faults", async () => {
  const { port } = await answering({ "/": 200 });
  expect(await checkVoiceSocket(`ws://127.0.0.1:${port}`, "https://farline.example")).toMatchObject([
    { level: "fault", text: expect.stringContaining("answered 200 instead of opening a WebSocket") },
  ]);
  expect(await checkVoiceSocket(`wss://127.0.0.1:${port}`, "https://farline.example")).toMatchObject([
    { level: "fault", text: expect.stringContaining("cannot be opened") },
  ]);
});
