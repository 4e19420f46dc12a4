import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lanInvitation, openLanDoor } from "./lan-door.ts";

const folder = mkdtempSync(join(tmpdir(), "farline-lan-"));
const ADDRESS = "127.0.0.1";
let service: Server;
let exchange: Server;
let close: () => void;
let port: number;

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  service = createServer(({ headers, url }, response) => response.end([url, headers.host, headers["x-forwarded-for"]].join(" ")));
  exchange = createServer().on("upgrade", (_request, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello");
    socket.on("data", (data: Buffer) => socket.end(`heard ${data.toString()}`));
    socket.on("error", () => undefined);
  });
  for (const server of [service, exchange]) await new Promise<void>((go) => server.listen(0, ADDRESS, go));
  const free = createServer();
  await new Promise<void>((go) => free.listen(0, ADDRESS, go));
  port = portOf(free);
  await new Promise((go) => free.close(go));
  const door = { address: ADDRESS, port, host: ADDRESS, servicePort: portOf(service), voicePort: portOf(exchange) };
  close = await openLanDoor(door, folder);
});
afterAll(() => {
  close();
  for (const server of [service, exchange]) server.close();
  rmSync(folder, { recursive: true });
});

const to = (headers: Record<string, string> = {}) =>
  request({ host: ADDRESS, port, path: "/dialer", ca: readFileSync(join(folder, "lan-certificate.pem")), headers });

test("the certificate is valid for the address, and only its owner reads the key", async () => {
  const answer = await new Promise<string>((settle, fail) => {
    to({ "X-Forwarded-For": "203.0.113.1" })
      .on("response", (response) => response.on("data", (data: Buffer) => settle(data.toString())))
      .on("error", fail)
      .end();
  });
  // What a client claims to be is replaced.
  expect(answer).toBe(`/dialer ${ADDRESS}:${port} ${ADDRESS}`);
  expect(statSync(join(folder, "lan-key.pem")).mode & 0o077).toBe(0);
});

test("a WebSocket leads to the exchange", async () => {
  const heard = await new Promise<string>((settle, fail) => {
    to({ Connection: "Upgrade", Upgrade: "websocket" })
      .on("upgrade", (_response, socket, head) => {
        let text = head.toString();
        socket.on("data", (data: Buffer) => (text += data.toString())).on("end", () => settle(text));
        socket.write("a frame");
      })
      .on("error", fail)
      .end();
  });
  expect(heard).toBe("helloheard a frame");
});

test("the invitation shows the address as text and as a code", () => {
  const text = lanInvitation("https://192.168.1.20:3008");
  expect(text).toContain("open https://192.168.1.20:3008 or scan");
  expect(text.split("\n").length).toBeGreaterThan(10);
});
