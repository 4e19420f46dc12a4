import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { checkExchangePorts } from "./check-exchange-ports.ts";

const KEY = "KEY of the exchange";
const close: (() => void)[] = [];
afterEach(() => {
  for (const one of close.splice(0)) one();
});

async function listen(answer: (path: string, key: string) => number): Promise<number> {
  const server: Server = createServer((request, response) => {
    response.writeHead(answer(request.url ?? "", request.headers.authorization ?? "")).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  close.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const port = await listen(() => 200);
  close.pop()?.();
  return port;
}

async function exchangeAt(ports: { controlPort?: number; port?: number; sipPort?: number }) {
  const address = { bound: "127.0.0.1", announced: "127.0.0.1" };
  const free = { controlPort: await freePort(), port: await freePort(), sipPort: await freePort() };
  return { host: "127.0.0.1", controlHost: "127.0.0.1", rtpAddress: address, apiKeys: [KEY] as const, ...free, ...ports };
}

test("ports held by our own exchange are ok", async () => {
  const controlPort = await listen((path, key) => (path === "/healthz" && key === `Bearer ${KEY}` ? 200 : 401));
  const port = await listen((path) => (path === "/readyz" ? 200 : 404));
  expect(await checkExchangePorts(await exchangeAt({ controlPort, port }))).toMatchObject([{ level: "ok" }]);
});

test("another exchange, a draining one and one that does not accept browsers are distinguished", async () => {
  const foreign = await exchangeAt({ controlPort: await listen(() => 401) });
  expect(await checkExchangePorts(foreign)).toMatchObject([{ level: "fault", text: expect.stringContaining("status 401") }]);
  const controlPort = await listen(() => 200);
  const draining = await exchangeAt({ controlPort, port: await listen(() => 503) });
  expect(await checkExchangePorts(draining)).toMatchObject([{ level: "warning", text: expect.stringContaining("draining") }]);
  expect(await checkExchangePorts(await exchangeAt({ controlPort }))).toMatchObject([{ level: "fault" }]);
});

test("a TCP or UDP port held by another program is a fault while the exchange does not run", async () => {
  expect(await checkExchangePorts(await exchangeAt({}))).toMatchObject([
    { level: "warning", text: expect.stringContaining("are free") },
  ]);
  const sip = createSocket("udp4");
  sip.bind(0, "127.0.0.1");
  await once(sip, "listening");
  close.push(() => sip.close());
  const taken = await exchangeAt({ port: await listen(() => 404), sipPort: sip.address().port });
  const findings = await checkExchangePorts(taken);
  expect(findings.map(({ text }) => text)).toEqual([
    `The exchange does not run, and cannot bind TCP port ${taken.port} for browsers.`,
    `The exchange does not run, and cannot bind UDP port ${taken.sipPort} for SIP.`,
  ]);
});
