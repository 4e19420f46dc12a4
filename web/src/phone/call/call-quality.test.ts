import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meanOpinionScore, qualityBand, qualityBetween } from "./call-quality.ts";

const silence = { packetsReceived: 100, packetsLost: 0, jitterSeconds: 0.002, roundTripSeconds: 0.05 };

describe("bands", () => {
  it.each([
    [4.4, "excellent"],
    [4.2, "good"],
    [4.05, "good"],
    [4.0, "fair"],
    [3.65, "fair"],
    [3.6, "poor"],
    [3.05, "poor"],
    [3.0, "bad"],
    [1, "bad"],
  ] as const)("a score of %d is %s", (score, band) => {
    expect(qualityBand(score)).toBe(band);
  });
});

it("scores a perfect line 4.4 and a line that loses a tenth below 2.5", () => {
  expect(meanOpinionScore({ latencyMs: 0, lossPercent: 0 })).toBeCloseTo(4.41, 2);
  expect(meanOpinionScore({ latencyMs: 20, lossPercent: 10 })).toBeLessThan(2.5);
});

it("never leaves 1 to 5, and never gets better by more delay or more loss", () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(100), fc.nat(500), fc.nat(50), (latencyMs, lossPercent, moreMs, moreLoss) => {
      const score = meanOpinionScore({ latencyMs, lossPercent });
      expect(score).toBeGreaterThanOrEqual(1);
      expect(score).toBeLessThanOrEqual(5);
      expect(meanOpinionScore({ latencyMs: latencyMs + moreMs, lossPercent: lossPercent + moreLoss })).toBeLessThanOrEqual(score);
    }),
  );
});

it("calls a line bad on which nothing arrives", () => {
  expect(qualityBetween(silence, silence)?.mos).toBe(1);
});

it("judges what happened in between, not the totals", () => {
  const later = { ...silence, packetsReceived: 200 };
  expect(qualityBetween({ ...silence, packetsLost: 90 }, { ...later, packetsLost: 90 })?.mos).toBeGreaterThan(4.2);
});

it("takes a late packet that was counted as lost for no loss", () => {
  expect(
    qualityBetween({ ...silence, packetsLost: 5 }, { ...silence, packetsReceived: 200, packetsLost: 3 })?.mos,
  ).toBeGreaterThan(4.2);
});

it("says nothing across a new connection, whose totals start again", () => {
  expect(qualityBetween({ ...silence, packetsReceived: 900 }, silence)).toBeNull();
});
