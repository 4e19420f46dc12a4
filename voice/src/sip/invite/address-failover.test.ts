import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import {
  answerCalls,
  type CarrierHandler,
  replyTo,
  type SocketCarrier,
  startSocketCarrier,
} from "../../../test/socket-carrier.ts";
import { dial, IMPATIENT, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";
import type { TrunkConfig, Trunks } from "../trunk.ts";

const bench = new SipBench();
afterEach(() => bench.end());

async function server(handle: CarrierHandler): Promise<SocketCarrier> {
  const started = await startSocketCarrier("udp", handle);
  bench.add(() => started.close());
  return started;
}

async function silentPort(): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  bench.add(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  await once(socket, "listening");
  return socket.address().port;
}

/** Trunks whose host has SRV records for these ports, in this order. */
function trunksAt(ports: readonly number[], others: readonly TrunkConfig[] = []): Promise<Trunks> {
  const srv = async () => ports.map((port, priority) => ({ name: "server.carrier.test", port, priority, weight: 0 }));
  const pool = trunkTo(0, { name: "pool", host: "carrier.test", port: null });
  return bench.trunks([pool, ...others], { ...IMPATIENT, dns: { srv, addresses: async () => ["127.0.0.1"] } });
}

describe("a trunk with several addresses (RFC 3263 §4.3)", () => {
  const busy: CarrierHandler = (message, send) => {
    if (message.startsWith("INVITE ")) send(replyTo(message, "503 Service Unavailable"));
  };

  it.each([
    ["does not respond", async () => await silentPort()],
    ["answers 503", async () => (await server(busy)).port],
  ])("carries a call over the second if the first %s, and the next call at once", async (_what, firstPort) => {
    const good: SocketCarrier = await server((message, send) => answerCalls(OFFER, good.port)(message, send));
    const trunks = await trunksAt([await firstPort(), good.port]);
    for (let calls = 1; calls <= 2; calls += 1) {
      const { call, answered } = dial(trunks);
      await answered;
      expect(call.route.attempts).toMatchObject([{ trunk: "pool", outcome: "answered" }]);
      await call.hangUp();
      expect(good.heard.filter((message) => message.startsWith("INVITE "))).toHaveLength(calls);
    }
  });

  it("gives way to the next trunk once all of them have failed", async () => {
    const good: SocketCarrier = await server((message, send) => answerCalls(OFFER, good.port)(message, send));
    const trunks = await trunksAt([await silentPort(), (await server(busy)).port], [trunkTo(good.port, { name: "spare" })]);
    const { call, answered } = dial(trunks);
    await answered;
    expect(call.route.attempts).toMatchObject([{ trunk: "pool", outcome: "failed", sipStatus: 503 }, { trunk: "spare" }]);
    await call.hangUp();
  });
});
