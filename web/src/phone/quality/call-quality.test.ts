import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meanOpinionScore, qualityBand, qualityBetween } from "./call-quality.ts";

const silence = { packetsReceived: 100, packetsLost: 0, jitterSeconds: 0.002, roundTripSeconds: 0.05 };

describe("quality bands", () => {
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

it("scores a perfect line 4.4, and a line with 10 % loss below 2.5", () => {
  expect(meanOpinionScore({ latencyMs: 0, lossPercent: 0 })).toBeCloseTo(4.41, 2);
  expect(meanOpinionScore({ latencyMs: 20, lossPercent: 10 })).toBeLessThan(2.5);
});

it("stays between 1 and 5, and never improves with more delay or loss", () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(100), fc.nat(500), fc.nat(50), (latencyMs, lossPercent, moreMs, moreLoss) => {
      const score = meanOpinionScore({ latencyMs, lossPercent });
      expect(score).toBeGreaterThanOrEqual(1);
      expect(score).toBeLessThanOrEqual(5);
      expect(meanOpinionScore({ latencyMs: latencyMs + moreMs, lossPercent: lossPercent + moreLoss })).toBeLessThanOrEqual(score);
    }),
  );
});

it("rates a line bad if nothing arrives", () => {
  expect(qualityBetween(silence, silence)).toMatchObject({ mos: 1, isHeard: false });
});

it("scores what happened since the last sample, not the totals", () => {
  const later = { ...silence, packetsReceived: 200 };
  expect(qualityBetween({ ...silence, packetsLost: 90 }, { ...later, packetsLost: 90 })?.mos).toBeGreaterThan(4.2);
});

it("does not count a late packet as lost", () => {
  expect(
    qualityBetween({ ...silence, packetsLost: 5 }, { ...silence, packetsReceived: 200, packetsLost: 3 })?.mos,
  ).toBeGreaterThan(4.2);
});

it("gives no score across a new connection, whose totals start at zero", () => {
  expect(qualityBetween({ ...silence, packetsReceived: 900 }, silence)).toBeNull();
});
