import { describe, expect, it } from "vitest";
import { DigitQueue } from "./digit-queue.ts";
import { G711_CLOCK } from "./g711.ts";

/** Runs the queue until it is idle. Returns the digits, and the frames at which they were sent. */
function run(queue: DigitQueue): { frames: number; digits: number[]; startFrames: number[] } {
  const digits: number[] = [];
  const startFrames: number[] = [];
  let frames = 0;
  while (!queue.idle) {
    const packet = queue.tickEvent(frames * 160, G711_CLOCK);
    if (packet?.marker === true) {
      digits.push(packet.payload[0] as number);
      startFrames.push(frames);
    }
    frames += 1;
  }
  return { frames, digits, startFrames };
}

describe("queued digits", () => {
  it("keep their order across requests, 180 ms apart", async () => {
    const queue = new DigitQueue();
    const all = Promise.all([queue.add("19"), queue.add("*#ad")]);
    const { digits, startFrames } = run(queue);
    await all;
    expect(digits).toEqual([1, 9, 10, 11, 12, 15]);
    expect(startFrames.slice(1).map((frame, i) => frame - (startFrames[i] as number))).toEqual([9, 9, 9, 9, 9]);
  });

  it("repeat the end of an event in the two frames after it (RFC 4733 §2.5.1.4)", () => {
    const queue = new DigitQueue();
    void queue.add("5");
    const packets = Array.from({ length: 9 }, (_, frame) => queue.tickEvent(8_000 + frame * 160, G711_CLOCK));
    const heard = packets.map((packet) =>
      packet === null ? null : { ticks: packet.payload.readUInt16BE(2), isEnd: packet.payload.readUInt8(1) >= 0x80 },
    );
    expect(heard).toEqual([
      ...[160, 320, 480, 640].map((ticks) => ({ ticks, isEnd: false })),
      ...[800, 800, 800].map((ticks) => ({ ticks, isEnd: true })),
      null,
      null,
    ]);
    expect(new Set(packets.flatMap((packet) => packet?.timestamp ?? []))).toEqual(new Set([8_000]));
  });

  it("wait two seconds for a comma", async () => {
    const queue = new DigitQueue();
    const sent = queue.add("1,2");
    const { startFrames } = run(queue);
    await sent;
    expect((startFrames[1] as number) - (startFrames[0] as number)).toBeGreaterThanOrEqual(100);
  });

  it("are limited to a hundred", async () => {
    const queue = new DigitQueue();
    const first = queue.add("1".repeat(60));
    await expect(queue.add("2".repeat(41))).rejects.toMatchObject({ code: "bad_digits" });
    expect(run(queue).digits).toHaveLength(60);
    await first;
  });
});
