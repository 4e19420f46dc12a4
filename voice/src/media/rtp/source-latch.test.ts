import { describe, expect, it } from "vitest";
import { SourceLatch } from "./source-latch.ts";

const announced = { address: "203.0.113.5", port: 4_000 };

describe("the RTP source latch", () => {
  it("accepts only the announced address while it sends", () => {
    const latch = new SourceLatch(announced, [], 0);
    for (let nowMs = 0; nowMs < 5_000; nowMs += 20) {
      expect(latch.accepts("203.0.113.5", 4_000, nowMs)).toBe(true);
      expect(latch.accepts("198.51.100.9", 4_000, nowMs)).toBe(false);
    }
    expect(latch.target).toEqual(announced);
  });

  /** Whether packets sent every 20 ms from there are accepted. */
  const send = (latch: SourceLatch, from: { address: string; port: number }, atMs: number, count = 5) =>
    Array.from({ length: count }, (_, i) => latch.accepts(from.address, from.port, atMs + i * 20));
  const trunk = { address: "198.51.100.9", port: 7_000 };
  const stranger = { address: "192.0.2.66", port: 9_000 };

  it("never moves to a stranger's address, heard before or not", () => {
    const latch = new SourceLatch(announced, [trunk.address], 0);
    expect(send(latch, stranger, 5_000, 20)).not.toContain(true);
    send(latch, announced, 10_000);
    expect(send(latch, stranger, 30_000, 20)).not.toContain(true);
    expect(latch.target).toEqual(announced);
  });

  it("moves to the trunk's own address after half a second without the announced one, and to any of its ports", () => {
    const latch = new SourceLatch(announced, [trunk.address], 0);
    expect(send(latch, trunk, 490)).toEqual([false, false, false, true, true]);
    expect(latch.target).toEqual(trunk);
    expect(send(latch, { ...trunk, port: 7_002 }, 6_000)).toEqual([false, false, true, true, true]);
    expect(send(latch, { ...trunk, port: 7_004 }, 12_000)).toEqual([false, false, true, true, true]);
    expect(send(latch, stranger, 20_000, 20)).not.toContain(true);
  });

  it("returns to the announced endpoint at once", () => {
    const latch = new SourceLatch(announced, [trunk.address], 0);
    send(latch, trunk, 1_000);
    expect(latch.target).toEqual(trunk);
    expect(send(latch, announced, 1_100, 1)).toEqual([true]);
    expect(latch.target).toEqual(announced);
    expect(send(latch, stranger, 9_000)).not.toContain(true);
  });

  it("follows the announced address to other ports, as often as it moves", () => {
    const latch = new SourceLatch(announced, [], 0);
    for (const [index, port] of [4_002, 4_004, 4_006].entries()) {
      expect(send(latch, { ...announced, port }, 1_000 * (index + 1))).toEqual([false, false, true, true, true]);
      expect(latch.target.port).toBe(port);
    }
  });

  it("does not move to a source that alternates with others", () => {
    const latch = new SourceLatch(announced, ["198.51.100.0", "198.51.100.1"], 0);
    const heard = Array.from({ length: 30 }, (_, i) => latch.accepts(`198.51.100.${i % 2}`, 7_000, 1_000 + i * 20));
    expect(heard).not.toContain(true);
  });
});
