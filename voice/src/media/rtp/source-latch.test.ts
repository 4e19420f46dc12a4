import { describe, expect, it } from "vitest";
import { SourceLatch } from "./source-latch.ts";

const announced = { address: "203.0.113.5", port: 4_000 };

describe("the RTP source latch", () => {
  it("accepts only the announced address while it sends", () => {
    const latch = new SourceLatch(announced, 0);
    for (let nowMs = 0; nowMs < 5_000; nowMs += 20) {
      expect(latch.accepts("203.0.113.5", 4_000, nowMs)).toBe(true);
      expect(latch.accepts("198.51.100.9", 4_000, nowMs)).toBe(false);
    }
    expect(latch.target).toEqual(announced);
  });

  it("moves to one other address after silence, and then to no other", () => {
    const latch = new SourceLatch(announced, 0);
    const heard = [490, 510, 530, 550, 570].map((nowMs) => latch.accepts("198.51.100.9", 7_000, nowMs));
    expect(heard).toEqual([false, false, false, true, true]);
    expect(latch.target).toEqual({ address: "198.51.100.9", port: 7_000 });
    expect([5_000, 5_020, 5_040, 5_060].map((nowMs) => latch.accepts("192.0.2.66", 9_000, nowMs))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it("does not move to a source that alternates with others", () => {
    const latch = new SourceLatch(announced, 0);
    const heard = Array.from({ length: 30 }, (_, i) => latch.accepts(`198.51.100.${i % 2}`, 7_000, 1_000 + i * 20));
    expect(heard).not.toContain(true);
  });
});
