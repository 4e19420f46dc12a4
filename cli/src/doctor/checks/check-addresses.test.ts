import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { checkAddresses, checkPublicUrl, checkVoiceSocket } from "./check-addresses.ts";

describe("names and addresses", () => {
  const here = { bound: "127.0.0.1", announced: "127.0.0.1" };
  const trunk = (host: string) => ({ host }) as Parameters<typeof checkAddresses>[0]["trunks"][number];
  const exchange = {
    mediaAddress: here,
    mediaPorts: null,
    rtpAddress: here,
    rtpPorts: { first: 21_000, last: 21_999 },
    rtpengines: [],
    trunks: [],
  };
  const LOCAL = "http://localhost:3000";
  const PUBLIC = "https://farline.example";

  test("an installation used on this machine only may announce a loopback address", async () => {
    const findings = await checkAddresses({ ...exchange, trunks: [trunk("127.0.0.1")] }, LOCAL);
    expect(findings.map(({ level }) => level)).toEqual(["ok", "ok"]);
  });

  test("a loopback address announced to remote browsers or carriers is a fault", async () => {
    const findings = await checkAddresses({ ...exchange, trunks: [trunk("sip.carrier.example")] }, PUBLIC);
    expect(findings).toMatchObject([
      { level: "fault", text: expect.stringContaining("set VOICE_MEDIA_ANNOUNCE") },
      { level: "fault", text: expect.stringContaining("set RTP_ANNOUNCE") },
    ]);
  });

  test("with rtpengine the address for browsers' audio is not checked", async () => {
    const rtpengines = [{ host: "10.0.0.7", port: 2223, weight: 1 }];
    const findings = await checkAddresses({ ...exchange, rtpengines }, PUBLIC);
    expect(findings).toMatchObject([{ level: "ok", text: expect.stringContaining("Carriers are told") }]);
  });

  test("a private address announced to remote browsers is a warning", async () => {
    const [finding] = await checkAddresses({ ...exchange, mediaAddress: { bound: "127.0.0.1", announced: "10.0.0.5" } }, PUBLIC);
    expect(finding).toMatchObject({
      level: "warning",
      text: expect.stringContaining("which is reachable only in its own network"),
    });
  });

  test("a bound address of another machine is a fault", async () => {
    const foreign = { bound: "203.0.113.7", announced: "203.0.113.7" };
    const [finding] = await checkAddresses({ ...exchange, mediaAddress: foreign }, PUBLIC);
    expect(finding).toEqual({
      level: "fault",
      text: "VOICE_MEDIA_IP 203.0.113.7 is not an address of this machine (EADDRNOTAVAIL).",
    });
  });

  test("an announced address that does not lead back to this machine is a warning, unless a NAT loops it back", async () => {
    const mediaPorts = { first: 22_500, last: 22_599 };
    const behindNat = { ...exchange, mediaAddress: { bound: "127.0.0.1", announced: "127.0.0.9" }, mediaPorts };
    const silent = await checkAddresses(behindNat, LOCAL);
    expect(silent[1]).toMatchObject({ level: "warning", text: expect.stringContaining("nothing arrived within a second") });

    const sockets = await forwardAll("127.0.0.9", "127.0.0.1", mediaPorts);
    try {
      const forwarded = await checkAddresses(behindNat, LOCAL);
      expect(forwarded[1]).toMatchObject({
        level: "ok",
        text: expect.stringMatching(/^A datagram to 127\.0\.0\.9:\d+ arrives at 127\.0\.0\.1\.$/),
      });
    } finally {
      for (const socket of sockets) socket.close();
    }
  });

  /** Acts as the router in front of the machine, which forwards datagrams from the public address. */
  async function forwardAll(from: string, to: string, { first, last }: { first: number; last: number }) {
    const ports = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
    return Promise.all(
      ports.map(async (port) => {
        const socket = createSocket("udp4");
        socket.on("message", (message) => socket.send(message, port, to));
        socket.bind(port, from);
        await once(socket, "listening");
        return socket;
      }),
    );
  }
});

describe("public URLs", () => {
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
});
