import { expect, test } from "vitest";
import type { BencodedValue } from "./bencode.ts";
import { readQuery } from "./ng-stats.ts";

/** A response of rtpengine 10.5.3.5 to `query`, without unused fields. */
function side(source: number, packets: number, bytes: number, reports: number): BencodedValue {
  const streams: BencodedValue[] = [
    { SSRC: source, "last packet": 1_795_504_165, stats: { packets, bytes, errors: 0 } },
    { stats: { packets: reports, bytes: 0, errors: 0 } },
  ];
  return { medias: [{ index: 1, streams }] };
}

test("a call's counters include all its transports, and missing values are null, not 0", () => {
  const figures = readQuery({
    result: "ok",
    SSRC: {
      7: { "cumulative loss": 81, "average MOS": { MOS: 40, jitter: 5, "round-trip time": 666 } },
      5: { "cumulative loss": 0 },
    },
    tags: { "browser-1": side(5, 50, 8_600, 0), "browser-2": side(6, 10, 1_720, 0), far: side(7, 20, 3_440, 3) },
  });
  expect(figures.stats).toEqual({
    fromBrowser: { packets: 60, bytes: 9_600, lost: null, jitterMs: null },
    toBrowser: { packets: null, bytes: null },
    fromFar: { packets: 20, bytes: 3_200, lost: null, jitterMs: null },
    toFar: { packets: null, bytes: null },
    browserReport: { lost: 81, roundTripMs: 0.666 },
    farReport: { lost: 0, roundTripMs: null },
  });
  expect(figures.far.activity).toBe(23);
  expect(figures.activityOf("browser-2")).toBe(10);
});

test("packets that rtpengine dropped for a wrong source do not count as the far end's, with its kernel module or without", () => {
  const counted = (flags: readonly string[], stats: Record<string, number>) => {
    const far: BencodedValue = {
      medias: [{ index: 1, streams: [{ flags, stats }, { stats: { packets: 9, bytes: 0, errors: 9 } }] }],
    };
    return readQuery({ result: "ok", tags: { far } }).far;
  };
  const dropped = { packets: 110, bytes: 18_920, errors: 100 };
  expect(counted(["RTP", "kernelized", "no kernel support"], dropped)).toMatchObject({ packets: 10, bytes: 1_600, activity: 10 });
  expect(counted(["RTP", "kernelized"], { ...dropped, packets: 10, bytes: 1_720 })).toMatchObject({ packets: 10, bytes: 1_600 });
});

test("an unexpected response yields no values", () => {
  const { stats } = readQuery({ result: "ok", tags: "none", SSRC: [] });
  expect(stats).toMatchObject({ fromBrowser: { packets: 0, lost: null }, browserReport: null, farReport: null });
});
