import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { opus } from "../audio/opus.ts";
import { SendTimeline } from "./send-timeline.ts";

const step16 = (from: number, to: number): number => ((to - from) << 16) >> 16;

describe("the timeline of a sent stream", () => {
  test.prop([
    fc.integer({ min: 0, max: 0xffff }),
    fc.integer({ min: 0, max: 0xffff_ffff }),
    fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 200 }),
  ])("preserves the source's steps, wherever its numbers start and wrap", (start, clock, gaps) => {
    const timeline = new SendTimeline();
    let source = { ssrc: 7, sequence: start, timestamp: clock, marker: false };
    let nowMs = 0;
    let before = timeline.forward(source, nowMs);
    for (const gap of gaps) {
      source = { ...source, sequence: (source.sequence + gap) & 0xffff, timestamp: (source.timestamp + gap * 160) >>> 0 };
      nowMs += gap * 20;
      const after = timeline.forward(source, nowMs);
      expect(step16(before.sequence, after.sequence)).toBe(gap);
      expect((after.timestamp - before.timestamp) | 0).toBe(gap * 160);
      before = after;
    }
  });

  it("keeps the position of a late packet", () => {
    const timeline = new SendTimeline();
    const at = (sequence: number): { ssrc: number; sequence: number; timestamp: number; marker: boolean } => ({
      ssrc: 1,
      sequence,
      timestamp: sequence * 160,
      marker: false,
    });
    const sent = [10, 12, 11, 13].map((sequence) => timeline.forward(at(sequence), sequence * 20).sequence);
    expect(sent.slice(1).map((sequence) => step16(sent[0] as number, sequence))).toEqual([2, 1, 3]);
  });

  it("continues without a gap, and sets the marker, when the source changes or jumps", () => {
    const timeline = new SendTimeline();
    const first = timeline.forward({ ssrc: 1, sequence: 5, timestamp: 800, marker: false }, 0);
    const other = timeline.forward({ ssrc: 2, sequence: 40_000, timestamp: 99, marker: false }, 1_000);
    const jumped = timeline.forward({ ssrc: 2, sequence: 45_000, timestamp: 99 + 160 * 5_000, marker: false }, 1_020);
    expect([step16(first.sequence, other.sequence), step16(other.sequence, jumped.sequence)]).toEqual([1, 1]);
    expect((other.timestamp - first.timestamp) >>> 0).toBe(8_000); // one second
    expect([other.marker, jumped.marker]).toEqual([true, true]);
  });

  it.each([-16_000, 16_000, 0x7000_0000])("sets a clock right that jumps by %i ticks within a stream", (jump) => {
    const timeline = new SendTimeline();
    const packet = (sequence: number, shift: number) =>
      timeline.forward({ ssrc: 1, sequence, timestamp: (100_000 + sequence * 160 + shift) >>> 0, marker: false }, sequence * 20);
    const before = packet(1, 0);
    const [after, next] = [packet(2, jump), packet(3, jump)];
    expect([after, next].map(({ timestamp }) => (timestamp - before.timestamp) | 0)).toEqual([160, 320]);
    expect([after, next].map(({ sequence }) => step16(before.sequence, sequence))).toEqual([1, 2]);
    expect([after.marker, next.marker]).toEqual([true, false]);
  });

  it("keeps a pause of the source, whose clock went on", () => {
    const timeline = new SendTimeline();
    const before = timeline.forward({ ssrc: 1, sequence: 1, timestamp: 0, marker: false }, 0);
    const after = timeline.forward({ ssrc: 1, sequence: 2, timestamp: 80_000, marker: true }, 10_000);
    expect((after.timestamp - before.timestamp) | 0).toBe(80_000);
  });

  it("continues without a gap in a codec with another clock, from the time that has passed", () => {
    const timeline = new SendTimeline();
    const first = timeline.forward({ ssrc: 1, sequence: 5, timestamp: 800, marker: false }, 0);
    timeline.useClock(opus);
    const next = timeline.forward({ ssrc: 1, sequence: 6, timestamp: 960, marker: false }, 20);
    const last = timeline.forward({ ssrc: 1, sequence: 7, timestamp: 960 + opus.frameTicks, marker: false }, 40);
    expect([step16(first.sequence, next.sequence), step16(next.sequence, last.sequence)]).toEqual([1, 1]);
    expect([next, last].map(({ timestamp }) => (timestamp - first.timestamp) >>> 0)).toEqual([960, 1_920]);
    expect([next.marker, last.marker]).toEqual([true, false]);
  });

  it("keeps the source's clock running while events are inserted", () => {
    const timeline = new SendTimeline();
    const before = timeline.forward({ ssrc: 1, sequence: 1, timestamp: 160, marker: false }, 0);
    const events = [timeline.insert(), timeline.insert(), timeline.insert()];
    const after = timeline.forward({ ssrc: 1, sequence: 6, timestamp: 960, marker: false }, 100);
    expect([...events, after.sequence].map((sequence) => step16(before.sequence, sequence))).toEqual([1, 2, 3, 4]);
    expect((after.timestamp - before.timestamp) >>> 0).toBe(800);
  });

  test.prop([fc.array(fc.record({ skips: fc.boolean(), lost: fc.nat(3), swaps: fc.boolean() }), { maxLength: 100 })])(
    "closes up behind packets that are not sent, shows loss, and never uses a number twice",
    (packets) => {
      const timeline = new SendTimeline();
      let sequence = 65_000;
      const arrivals = packets.map(({ skips, lost, swaps }) => {
        sequence += 1 + lost;
        return { ssrc: 1, sequence: sequence & 0xffff, timestamp: sequence * 160, marker: false, skips, swaps };
      });
      for (let i = 1; i < arrivals.length; i += 1)
        if (arrivals[i]?.swaps) arrivals.splice(i - 1, 2, arrivals[i] as never, arrivals[i - 1] as never);
      const used = new Set<number>();
      for (const [i, packet] of arrivals.entries()) {
        if (packet.skips) timeline.skip(packet);
        else if (!timeline.isTooLate(packet)) {
          const position = timeline.forward(packet, i * 20);
          expect(used.has(position.sequence)).toBe(false);
          used.add(position.sequence);
        }
      }
    },
  );

  it("has no gap where packets were skipped, and keeps the gap of lost ones", () => {
    const timeline = new SendTimeline();
    const packet = (sequence: number) => ({ ssrc: 1, sequence, timestamp: sequence * 160, marker: false });
    const first = timeline.forward(packet(1), 0);
    for (const sequence of [2, 3, 5]) timeline.skip(packet(sequence));
    const next = timeline.forward(packet(6), 100);
    expect([step16(first.sequence, next.sequence), (next.timestamp - first.timestamp) >>> 0, next.marker]).toEqual([
      2,
      800,
      false,
    ]);
    expect([timeline.isTooLate(packet(4)), timeline.isTooLate(packet(7))]).toEqual([true, false]);
  });

  it("advances evenly for a tone", () => {
    const timeline = new SendTimeline();
    const frames = [0, 20, 40].map((nowMs) => timeline.continue(nowMs));
    expect(frames.map((frame) => frame.marker)).toEqual([true, false, false]);
    expect(
      frames
        .slice(1)
        .map((frame, i) => [
          step16(frames[i]?.sequence ?? 0, frame.sequence),
          (frame.timestamp - (frames[i]?.timestamp ?? 0)) >>> 0,
        ]),
    ).toEqual([
      [1, 160],
      [1, 160],
    ]);
  });
});
