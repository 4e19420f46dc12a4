import { once } from "node:events";
import { connect, type Socket } from "node:net";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LOOPBACK } from "../test/loopback.ts";
import { testExchange, type TestExchange } from "../test/test-exchange.ts";
import { LISTENERS } from "./listener-bounds.ts";
import { createTrunks } from "./sip/create-trunks.ts";
import type { Trunks } from "./sip/trunk.ts";
import { trunkTo } from "../test/sip-bench.ts";

let bench: TestExchange;
let trunks: Trunks;
let sockets: Socket[] = [];
let lines: string[] = [];
beforeEach(async () => {
  lines = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  bench = await testExchange();
  // Its peers on this machine are a trunk's.
  trunks = await createTrunks([trunkTo(9)], { address: LOOPBACK, port: 0, exchangeNumber: "+15550001111", log });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all([bench.close(), trunks.close()]);
});

function dial(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  sockets.push(socket);
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(socket));
    socket.once("close", () => resolve(socket));
  });
}

const portOf = {
  browsers: () => bench.exchange.port,
  control: () => bench.exchange.controlPort,
  sip: () => trunks.port,
} as const satisfies Record<keyof typeof LISTENERS, () => number>;

test.each(Object.keys(LISTENERS) as (keyof typeof LISTENERS)[])(
  "one host holds no more silent connections at the listener for %s than its share",
  async (name) => {
    const { perHost } = LISTENERS[name];
    sockets = [];
    const opened = await Promise.all(Array.from({ length: perHost + 20 }, () => dial(portOf[name](), "127.0.0.1")));
    await expect.poll(() => opened.filter((socket) => !socket.destroyed).length).toBe(perHost);
  },
);

test("a stranger holds no connection at all to the SIP port, and writes no line", async () => {
  const opened = await Promise.all(Array.from({ length: 50 }, () => dial(trunks.port, "127.0.0.99")));
  await expect.poll(() => opened.filter((socket) => !socket.destroyed).length).toBe(0);
  expect(lines).toEqual([]);
});

test("the connections of a removed trunk are closed, and another trunk's are not", async () => {
  trunks.reload([trunkTo(9), trunkTo(9, { name: "second", host: "127.0.0.2" })]);
  const [kept, removed] = [await dial(trunks.port, "127.0.0.1"), await dial(trunks.port, "127.0.0.2")];
  for (const socket of [kept, removed]) socket.write("\r\n\r\n");
  await Promise.all([kept, removed].map((socket) => once(socket, "data")));
  trunks.reload([trunkTo(9)]);
  await once(removed, "close");
  expect(kept.destroyed).toBe(false);
});

test("all listeners together leave most of the descriptors to calls", () => {
  // `LimitNOFILE` of the shipped units, and the browsers' signed-in sockets.
  const sum = Object.values(LISTENERS).reduce((total, bounds) => total + bounds.total, 0);
  expect(sum).toBeLessThan(65_536 / 8);
});
