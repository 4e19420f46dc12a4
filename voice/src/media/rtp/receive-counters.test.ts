import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { opus } from "../audio/opus.ts";
import { ReceiveCounters } from "./receive-counters.ts";

const payload = Buffer.alloc(160);

function count(counters: ReceiveCounters, sequence: number, arrivedMs = sequence * 20, ssrc = 1): void {
  counters.count({ ssrc, sequence: sequence & 0xffff, timestamp: (sequence * 160) >>> 0, payload }, arrivedMs);
}

describe("the counters of a received stream", () => {
  test.prop([fc.integer({ min: 0, max: 70_000 }), fc.uniqueArray(fc.integer({ min: 1, max: 498 }), { maxLength: 100 })])(
    "count exactly the missing packets, whatever wraps",
    (start, missing) => {
      const counters = new ReceiveCounters();
      for (let i = 0; i < 500; i += 1) if (!missing.includes(i)) count(counters, start + i);
      expect(counters.stats).toMatchObject({
        packets: 500 - missing.length,
        lost: missing.length,
        bytes: 160 * (500 - missing.length),
      });
    },
  );

  it("do not count late packets as lost", () => {
    const counters = new ReceiveCounters();
    for (const sequence of [1, 2, 5, 3, 4, 6]) count(counters, sequence);
    expect(counters.stats).toMatchObject({ packets: 6, lost: 0 });
  });

  it("restart with a new source and keep the loss so far", () => {
    const counters = new ReceiveCounters();
    for (const sequence of [1, 3]) count(counters, sequence);
    for (const sequence of [9_000, 9_001, 9_003]) count(counters, sequence, sequence * 20, 2);
    expect(counters.stats).toMatchObject({ packets: 5, lost: 2 });
  });

  it("report the fraction lost since the last report", () => {
    const counters = new ReceiveCounters();
    expect(counters.report()).toBeNull();
    for (const sequence of [1, 2, 3, 4]) count(counters, sequence);
    expect(counters.report()).toMatchObject({ ssrc: 1, fractionLost: 0, packetsLost: 0, highestSequence: 4 });
    for (const sequence of [6, 8]) count(counters, sequence);
    expect(counters.report()).toMatchObject({ fractionLost: 128, packetsLost: 2, highestSequence: 8 });
  });

  it("measure jitter by RFC 3550", () => {
    const steady = new ReceiveCounters();
    const shaky = new ReceiveCounters();
    for (let i = 0; i < 200; i += 1) {
      count(steady, i);
      count(shaky, i, i * 20 + (i % 2) * 10);
    }
    expect(steady.stats.jitterMs).toBe(0);
    expect(shaky.stats.jitterMs).toBeCloseTo(10, 0);
  });

  it("keep jitter and loss when the source goes on with another clock", () => {
    const counters = new ReceiveCounters();
    const late = (sequence: number): number => sequence * 20 + (sequence % 2) * 10;
    for (let i = 0; i < 200; i += 1) count(counters, i, late(i));
    counters.useClock(opus);
    for (let i = 201; i < 400; i += 1)
      counters.count({ ssrc: 1, sequence: i, timestamp: 7 + i * opus.frameTicks, payload }, late(i));
    expect(counters.stats.jitterMs).toBeCloseTo(10, 0);
    expect(counters.stats.lost).toBe(1);
    expect(counters.report()?.jitter).toBeCloseTo(480, -2); // 10 ms of the new clock
  });
});
