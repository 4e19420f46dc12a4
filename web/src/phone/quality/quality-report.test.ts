import type { QualitySample } from "@farline/contract/call-details.ts";
import { expect, it } from "vitest";
import { createQualityReport } from "./quality-report.ts";

const quality = (mos: number) => ({ isHeard: true, mos, roundTripMs: 50.123, jitterMs: 2, lossPercent: 0 });

it("sends the worst of every 10 s in batches, and the rest at the end", async () => {
  const sent: QualitySample[][] = [];
  const report = createQualityReport({ sendQuality: async (_id, samples) => void sent.push(samples) }, "call-1");
  for (let second = 2; second <= 34; second += 2) report.add(second, quality(second === 16 ? 2.5 : 4.4));
  expect(sent.map((batch) => batch.map(({ t, mos }) => [t, mos]))).toEqual([
    [
      [2, 4.4],
      [16, 2.5],
      [22, 4.4],
    ],
  ]);
  report.finish();
  expect(sent).toHaveLength(2);
  expect(sent[1]?.[0]).toEqual({ t: 32, mos: 4.4, rttMs: 50.12, jitterMs: 2, lossPct: 0 });
});

it("keeps unsent samples for the next batch, up to the service's limit", async () => {
  let away = true;
  const sent: QualitySample[][] = [];
  const report = createQualityReport(
    {
      sendQuality: async (_id, samples) => {
        if (away) throw new TypeError("network");
        sent.push(samples);
      },
    },
    "call-1",
  );
  for (let second = 10; second <= 1000; second += 10) {
    report.add(second, quality(4));
    await new Promise((resolve) => setTimeout(resolve));
  }
  away = false;
  report.finish();
  expect(sent).toHaveLength(1);
  expect(sent[0]).toHaveLength(60);
});
