import { describe, expect, test } from "vitest";
import { createLeg } from "./call-leg.ts";
import { callQuality, meanOpinionScore } from "./call-quality.ts";
import { carrierCost } from "./carrier-cost.ts";

function farLeg(lastedMs: number | null): ReturnType<typeof createLeg> {
  const leg = createLeg({
    startedAt: new Date(),
    node: "a",
    side: "far",
    connectionId: "c",
    from: "+12025550143",
    to: "+442079460000",
    callerName: null,
    username: "u",
    customHeaders: [],
    clientState: null,
    state: "hangup",
  });
  const endedAt = new Date(2_000_000);
  return { ...leg, endedAt, answeredAt: lastedMs === null ? null : new Date(endedAt.getTime() - lastedMs) };
}

const rate = (ratePerMinuteMicros: bigint, firstIntervalSeconds = 1, nextIntervalSeconds = 1) => ({
  ratePerMinuteMicros,
  firstIntervalSeconds,
  nextIntervalSeconds,
});

describe("the carrier's cost", () => {
  test("is the seconds, rounded up, at the price per minute, rounded up once to a micro-dollar", () => {
    expect(carrierCost(farLeg(60_000), rate(12_000n))).toEqual({ billedSeconds: 60, cost: "0.012", pricePerMinute: "0.0120" });
    expect(carrierCost(farLeg(60_001), rate(12_000n))).toMatchObject({ billedSeconds: 61, cost: "0.0122" });
    expect(carrierCost(farLeg(1), rate(1n))).toMatchObject({ billedSeconds: 1, cost: "0.000001" });
  });

  test("uses the trunk's billing increments", () => {
    expect(carrierCost(farLeg(60_001), rate(12_000n, 60, 60))).toMatchObject({ billedSeconds: 120, cost: "0.024" });
    expect(carrierCost(farLeg(1_000), rate(12_000n, 30, 6))).toMatchObject({ billedSeconds: 30, cost: "0.006" });
  });

  test("of an unanswered leg is zero", () => {
    expect(carrierCost(farLeg(null), rate(12_000n, 60, 60))).toMatchObject({ billedSeconds: 0, cost: "0.00" });
  });
});

describe("call quality", () => {
  const stream = (packets: number, lost: number, jitterMs: number) => ({ packets, bytes: 0, lost, jitterMs });
  const reports = { browserReport: null, farReport: null };

  test("is near the maximum without loss, and falls with loss and jitter", () => {
    const clean = Number(meanOpinionScore(stream(1000, 0, 2)));
    expect(clean).toBeGreaterThan(4.3);
    expect(meanOpinionScore(stream(990, 10, 2))).toBeLessThan(clean);
    expect(meanOpinionScore(stream(1000, 0, 150))).toBeLessThan(clean);
    expect(meanOpinionScore(stream(500, 500, 300))).toBe(1);
    expect(meanOpinionScore(stream(0, 0, 0))).toBe(1);
  });

  test("of each leg describes what was received from its side", () => {
    const stats = {
      fromBrowser: stream(10, 1, 2),
      toBrowser: { packets: 20, bytes: 0 },
      fromFar: stream(30, 3, 4),
      toFar: { packets: 40, bytes: 0 },
      ...reports,
    };
    expect(callQuality("browser", stats)).toMatchObject({
      inbound: { packet_count: "10", skip_packet_count: "1" },
      outbound: { packet_count: "20" },
    });
    expect(callQuality("far", stats)).toMatchObject({
      inbound: { packet_count: "30", skip_packet_count: "3" },
      outbound: { packet_count: "40" },
    });
    expect(callQuality("far", null)).toBeNull();
  });

  test("is null, not 0, for unknown counters", () => {
    const unknown = { packets: 10, bytes: 0, lost: null, jitterMs: null };
    const sent = { packets: null, bytes: null };
    const stats = { fromBrowser: unknown, toBrowser: sent, fromFar: unknown, toFar: sent, ...reports };
    expect(callQuality("far", stats)).toEqual({
      inbound: { mos: null, jitter_max_variance: null, packet_count: "10", skip_packet_count: null },
      outbound: { packet_count: null, skip_packet_count: "0" },
    });
  });
});
