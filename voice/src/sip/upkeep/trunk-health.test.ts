import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answerCalls, replyTo, startSocketCarrier } from "../../../test/socket-carrier.ts";
import { silentLog } from "../../../test/scripted-ports.ts";
import { dial, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";
import { TrunkHealth } from "./trunk-health.ts";

describe("the health of a trunk", () => {
  let answers: boolean[];
  let health: TrunkHealth;
  const watch = (name: string): void =>
    health.watch({ name, ping: async () => (answers.length > 1 ? answers.shift() : answers[0]) === true });
  beforeEach(() => {
    vi.useFakeTimers();
    health = new TrunkHealth(silentLog);
  });
  afterEach(() => {
    health.close();
    vi.useRealTimers();
  });
  const pings = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 30_000);

  it("is bad after three missed pings in a row, and good after two answers in a row", async () => {
    answers = [false, false, true, false, false, false, true, false, true, true];
    const down: boolean[] = [];
    watch("a");
    await pings(0);
    for (let i = 0; i < 10; i += 1) {
      down.push(health.isDown("a"));
      await pings(1);
    }
    expect(down).toEqual([false, false, false, false, false, true, true, true, true, false]);
  });

  it("is unknown once the trunk is no longer watched", async () => {
    answers = [false];
    watch("a");
    await pings(2);
    expect(health.isDown("a")).toBe(true);
    health.unwatch("a");
    expect(health.isDown("a")).toBe(false);
  });
});

describe("OPTIONS over the wire", () => {
  const bench = new SipBench();
  afterEach(() => bench.end());

  it("avoids a trunk that fails OPTIONS, and accepts any final response", async () => {
    const alive = await startSocketCarrier("udp", (message, send) => {
      if (message.startsWith("OPTIONS ")) send(replyTo(message, "404 Not Found"));
      else answerCalls(OFFER, alive.port)(message, send);
    });
    bench.add(() => alive.close());
    // Closing the connection fails OPTIONS at once; waiting would take 12 s.
    const failing = await startSocketCarrier("tcp", (message, send) => {
      if (!message.startsWith("OPTIONS ")) return answerCalls(OFFER)(message, send);
      for (const socket of failing.connections) socket.destroy();
    });
    bench.add(() => failing.close());
    const config = [trunkTo(failing.port, { optionsPing: true, transport: "tcp" }), trunkTo(alive.port, { optionsPing: true })];
    const trunks = await bench.trunks(config, { optionsPingEveryMs: 10 });
    await expect.poll(() => trunks.states().map(({ down }) => down)).toEqual([true, false]);
    const { answered, call } = dial(trunks);
    await answered;
    await call.hangUp();
    expect(alive.heard.filter((message) => message.startsWith("INVITE "))).toHaveLength(1);
  });
});
