import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pageOrigin, testExchange, type TestExchange } from "../../test/test-exchange.ts";
import { SdkClient } from "../../test/sdk-client.ts";

const destination = "+442079460000";
const upgrade = (more = "") =>
  `GET /voice HTTP/1.1\r\nHost: x\r\nOrigin: ${pageOrigin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`;

let bench: TestExchange;
const idle: Socket[] = [];
beforeEach(async () => {
  bench = await testExchange();
});
afterEach(async () => {
  for (const socket of idle.splice(0)) socket.destroy();
  await bench.close();
});

/** A connection that never signs in: silent, with unfinished headers, or upgraded. */
async function idleSocket(localAddress: string, says: string, port = bench.exchange.port): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, localAddress });
  idle.push(socket);
  socket.on("error", () => {});
  socket.resume();
  await once(socket, "connect");
  if (says !== "") socket.write(says);
  return socket;
}

async function call(localAddress: string): Promise<void> {
  const { token } = await bench.token();
  const client = await SdkClient.open(bench.wsUrl, pageOrigin, localAddress);
  await client.login(token);
  await client.invite(randomUUID(), "offer-sdp");
  const { params } = await client.next("ringing");
  await bench.telnyx.calls.actions.transfer(String(params?.["telnyx_call_control_id"]), { to: destination });
  await expect.poll(() => bench.network.calls.length).toBeGreaterThan(0);
  bench.network.last.answer();
  await client.next("answer");
  await client.close();
}

const open = (): number => idle.filter((socket) => !socket.closed).length;

describe("connections that never sign in", () => {
  test("do not block others: with 3,000 from one address, calls from that and another address succeed", async () => {
    const kinds = ["", "GET / HTTP/1.1\r\nHost: x\r\n", upgrade(), "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"];
    const early = await bench.browser();
    for (let batch = 0; batch < 30; batch += 1) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => idleSocket("127.0.0.1", kinds[index % kinds.length] ?? "")));
      if (batch === 15) await call("127.0.0.2");
    }
    expect(idle).toHaveLength(3_000);
    await call("127.0.0.2");
    await call("127.0.0.1");
    await expect.poll(open).toBeLessThanOrEqual(20);
    // An earlier, signed-in socket stayed open.
    expect((await early.request("telnyx_rtc.ping", {})).result).toEqual({ message: "pong" });
  });

  test("are also limited per network, across its addresses", async () => {
    const addresses = Array.from({ length: 40 }, (_, index) => `127.0.7.${index + 1}`);
    for (const address of addresses) await Promise.all(Array.from({ length: 10 }, () => idleSocket(address, upgrade())));
    await expect.poll(open).toBe(320);
    await call("127.0.8.1");
  });

  test("are closed after five seconds in any state", async () => {
    const begun = performance.now();
    for (const says of ["", "GET / HTTP/1.1\r\n", upgrade()]) await idleSocket("127.0.0.1", says);
    const living = await bench.browser();
    await expect.poll(open).toBe(0);
    expect(performance.now() - begun).toBeGreaterThan(4_500);
    expect((await living.request("telnyx_rtc.ping", {})).result).toEqual({ message: "pong" });
  });
});

test("behind a trusted proxy each forwarded address has its own limit; without one the header is ignored", async () => {
  const behind = await testExchange({ config: { trustedProxies: 1 } });
  for (const { port } of [behind.exchange, bench.exchange])
    for (let index = 0; index < 40; index += 1)
      await idleSocket("127.0.0.1", upgrade(`X-Forwarded-For: 198.51.${index}.7\r\n`), port);
  const openAt = (port: number): number => idle.filter((one) => !one.closed && one.remotePort === port).length;
  await expect.poll(() => openAt(bench.exchange.port)).toBe(20);
  expect(openAt(behind.exchange.port)).toBe(40);
  await behind.close();
});
