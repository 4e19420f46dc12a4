import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { checkExchangePorts, checkPortRanges } from "./check-ports.ts";

describe("the exchange's ports", () => {
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
});

describe("the ranges of ports", () => {
  const debian: Record<string, string> = {
    "net/ipv4/ip_local_port_range": "32768\t60999",
    "net/ipv4/ip_local_reserved_ports": "",
  };
  const kernel = (name: string) => debian[name] ?? null;
  const exchange = {
    mediaPorts: { first: 30_000, last: 31_999 },
    rtpPorts: { first: 20_000, last: 21_999 },
    rtpengines: [],
    maxCalls: 300,
  };

  test("ranges below the ephemeral ports with room for three times the calls are ok", () => {
    expect(checkPortRanges(exchange, kernel).map(({ level }) => level)).toEqual(["ok", "ok"]);
  });

  test("a range that is too small for MAX_CALLS is a fault, one without spare ports a warning", () => {
    expect(checkPortRanges({ ...exchange, maxCalls: 1_001 }, kernel)[1]).toEqual({
      level: "fault",
      text: "RTP_PORTS has 2000 ports, and MAX_CALLS=1001 needs 2002; 6006 are better.",
    });
    expect(checkPortRanges({ ...exchange, maxCalls: 334 }, kernel)[1]).toMatchObject({ level: "warning" });
  });

  test("a range that overlaps with the ephemeral ports is a warning, unless all of it is reserved", () => {
    const high = { ...exchange, rtpPorts: { first: 40_000, last: 41_999 } };
    const found = checkPortRanges(high, kernel).at(-1);
    expect(found).toMatchObject({ level: "warning", text: expect.stringContaining("RTP_PORTS: the system gives port 40000") });
    const reserving = (reserved: string) => (name: string) => (name.endsWith("reserved_ports") ? reserved : kernel(name));
    expect(checkPortRanges(high, reserving("8080,40000-41999")).at(-1)).toMatchObject({ level: "ok" });
    expect(checkPortRanges(high, reserving("40000-41998")).at(-1)?.text).toContain("port 41999");
  });

  test("with rtpengine no port range is checked", () => {
    const rtpengines = [{ host: "10.0.0.7", port: 2223, weight: 1 }];
    expect(checkPortRanges({ ...exchange, rtpengines, mediaPorts: null, maxCalls: 5_000 }, kernel)).toEqual([]);
  });

  test("a missing port range for browsers' audio is a warning", () => {
    expect(checkPortRanges({ ...exchange, mediaPorts: null }, kernel)[0]).toMatchObject({
      level: "warning",
      text: expect.stringContaining("VOICE_MEDIA_PORTS is not set"),
    });
  });
});
