import type { QualitySample } from "@farline/contract/call-details.ts";
import { type LineQuality, qualityBand, type QualityBand } from "./call-quality.ts";
import type { CallService } from "../call/call-service.ts";

const SAMPLE_EVERY_SECONDS = 10;
/** Half a minute of samples per request. */
const SAMPLES_IN_A_BATCH = 3;
/** The most that the service accepts at once; older samples are dropped when it is unreachable for long. */
const MAX_WAITING = 60;

export interface QualityReport {
  /** The quality of the last 2 s, at this second of the call. */
  add(elapsedSeconds: number, quality: LineQuality): void;
  /** The call is over: sends the remaining samples. */
  finish(): void;
}

/** Sends the service a sample of the call's quality every 10 s, the worst of that time, because it shows the problem. */
export function createQualityReport(service: Pick<CallService, "sendQuality">, callId: string): QualityReport {
  let waiting: QualitySample[] = [];
  let worst: QualitySample | null = null;
  let takenAtSecond = 0;

  const take = (elapsedSeconds: number): void => {
    takenAtSecond = elapsedSeconds;
    if (worst !== null) waiting = [...waiting, worst].slice(-MAX_WAITING);
    worst = null;
  };
  const send = (): void => {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    service.sendQuality(callId, batch).catch(() => {
      // For the record only, so failed samples go with the next batch.
      waiting = [...batch, ...waiting].slice(-MAX_WAITING);
    });
  };

  return {
    add(elapsedSeconds, quality) {
      const sample = toSample(elapsedSeconds, quality);
      if (worst === null || sample.mos < worst.mos) worst = sample;
      if (elapsedSeconds - takenAtSecond < SAMPLE_EVERY_SECONDS) return;
      take(elapsedSeconds);
      if (waiting.length >= SAMPLES_IN_A_BATCH) send();
    },
    finish() {
      take(takenAtSecond);
      send();
    },
  };
}

function toSample(t: number, quality: LineQuality): QualitySample {
  const rounded = (value: number): number => Math.round(value * 100) / 100;
  return {
    t,
    mos: rounded(quality.mos),
    rttMs: quality.roundTripMs === null ? null : rounded(quality.roundTripMs),
    jitterMs: rounded(quality.jitterMs),
    lossPct: rounded(quality.lossPercent),
  };
}

/** A label that changes too often helps nobody. */
const MIN_SHOWN_MS = 3000;

/** Turns scores into the label to show, which stays for at least 3 s. */
export function createBandShown(): (mos: number) => QualityBand {
  let shown: QualityBand | null = null;
  let shownAtMs = 0;
  return (mos) => {
    const band = qualityBand(mos);
    if (shown === null || (band !== shown && performance.now() - shownAtMs >= MIN_SHOWN_MS)) {
      shown = band;
      shownAtMs = performance.now();
    }
    return shown;
  };
}
