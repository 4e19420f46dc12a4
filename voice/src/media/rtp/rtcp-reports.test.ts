import { describe, expect, it } from "vitest";
import { ReceiveCounters } from "./receive-counters.ts";
import { RtcpReports } from "./rtcp-reports.ts";
import { SendTimeline } from "./send-timeline.ts";

function serialize(reports: RtcpReports): Buffer {
  return Buffer.concat(reports.build(performance.now()).map((packet) => packet.serialize()));
}

describe("RTCP", () => {
  it("reports loss and round-trip time to each side", () => {
    const [sentByA, heardByA, sentByB, heardByB] = [
      new SendTimeline(),
      new ReceiveCounters(),
      new SendTimeline(),
      new ReceiveCounters(),
    ];
    const a = new RtcpReports(sentByA, heardByA, "a");
    const b = new RtcpReports(sentByB, heardByB, "b");
    for (const sequence of [1, 2, 4, 5]) {
      const payload = Buffer.alloc(160);
      sentByA.sent(payload.length);
      heardByB.count({ ssrc: sentByA.ssrc, sequence, timestamp: sequence * 160, payload }, sequence * 20);
    }
    b.read(serialize(a)); // a's sender report
    a.read(serialize(b)); // b's receiver report about it
    expect(a.peerReport?.lost).toBe(1);
    expect(a.peerReport?.roundTripMs).toBeGreaterThanOrEqual(0);
    expect(a.peerReport?.roundTripMs).toBeLessThan(1_000);
    expect(b.peerReport).toBeNull();
  });

  it("ignores anything else", () => {
    const reports = new RtcpReports(new SendTimeline(), new ReceiveCounters(), "a");
    for (let length = 0; length < 200; length += 1)
      reports.read(Buffer.from(Array.from({ length }, (_, i) => (i === 0 ? 0x81 : i === 1 ? 200 + (length % 7) : i * 37) % 256)));
    expect(reports.peerReport).toBeNull();
  });
});
