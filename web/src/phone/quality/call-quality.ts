import { every } from "../../time/timers.ts";

export type QualityBand = "excellent" | "good" | "fair" | "poor" | "bad";

/** Totals at one moment; the difference between two of them describes the time in between. */
export interface QualitySample {
  packetsReceived: number;
  packetsLost: number;
  jitterSeconds: number;
  /** Null until the far side has reported. */
  roundTripSeconds: number | null;
}

/**
 * Mean opinion score, 1 to 5, by the simplified E-model (ITU-T G.107 reduced to delay and loss), as in the voice
 * provider's SDK: R = 93.2 − Id − Ie.
 */
export function meanOpinionScore(conditions: { latencyMs: number; lossPercent: number }): number {
  const { latencyMs, lossPercent } = conditions;
  const delayImpairment = 0.024 * latencyMs + (latencyMs > 177.3 ? 0.11 * (latencyMs - 177.3) : 0);
  const lossImpairment = 20 * Math.log(1 + lossPercent);
  const r = 93.2 - delayImpairment - lossImpairment;
  if (r <= 0) return 1;
  const score = 1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r);
  return Math.min(5, Math.max(1, score));
}

/** Half-open bands, so that every score has exactly one label. */
export function qualityBand(score: number): QualityBand {
  if (score > 4.2) return "excellent";
  if (score > 4.0) return "good";
  if (score > 3.6) return "fair";
  if (score > 3.0) return "poor";
  return "bad";
}

/** The quality of a part of a call. */
export interface LineQuality {
  /** Whether any packet arrived. */
  isHeard: boolean;
  /** Mean opinion score, 1 to 5. */
  mos: number;
  /** Null until the far side has reported. */
  roundTripMs: number | null;
  jitterMs: number;
  lossPercent: number;
}

/** Quality between two samples: null when unknown, the worst when no packets arrived. */
export function qualityBetween(before: QualitySample, after: QualitySample): LineQuality | null {
  const received = after.packetsReceived - before.packetsReceived;
  // A late packet first counts as lost and is subtracted later, so the difference may be negative.
  const lost = Math.max(0, after.packetsLost - before.packetsLost);
  if (received < 0) return null;
  const jitterMs = after.jitterSeconds * 1000;
  const roundTripMs = after.roundTripSeconds === null ? null : after.roundTripSeconds * 1000;
  if (received + lost === 0) return { isHeard: false, mos: 1, roundTripMs, jitterMs, lossPercent: 100 };
  const lossPercent = (100 * lost) / (received + lost);
  return {
    isHeard: received > 0,
    mos: meanOpinionScore({ latencyMs: jitterMs + (roundTripMs ?? 0) / 2, lossPercent }),
    roundTripMs,
    jitterMs,
    lossPercent,
  };
}

/** Reads the totals of a peer connection; null before any audio has arrived. */
export async function readQualitySample(peer: RTCPeerConnection): Promise<QualitySample | null> {
  const report = await peer.getStats();
  let inbound: RTCInboundRtpStreamStats | null = null;
  let roundTripSeconds: number | null = null;
  for (const stats of report.values()) {
    if (stats.type === "inbound-rtp" && stats.kind === "audio") inbound = stats;
    if (stats.type === "candidate-pair" && stats.nominated && typeof stats.currentRoundTripTime === "number") {
      roundTripSeconds = stats.currentRoundTripTime;
    }
  }
  if (inbound === null) return null;
  return {
    packetsReceived: inbound.packetsReceived ?? 0,
    packetsLost: inbound.packetsLost ?? 0,
    jitterSeconds: inbound.jitter ?? 0,
    roundTripSeconds,
  };
}

/** Of a connection over which nothing has arrived yet. */
const NOTHING: QualitySample = { packetsReceived: 0, packetsLost: 0, jitterSeconds: 0, roundTripSeconds: null };

const SAMPLE_EVERY_MS = 2000;

/**
 * Reports a call's quality every 2 s; null when unknown. `peer` is called each time, because a reconnect replaces the
 * connection. Returns the stop function.
 */
export function watchQuality(peer: () => RTCPeerConnection | null, onQuality: (quality: LineQuality | null) => void): () => void {
  let before: { peer: RTCPeerConnection; sample: QualitySample } | null = null;
  let stopped = false;

  const look = async (): Promise<void> => {
    const current = peer();
    const sample = current === null ? null : ((await readQualitySample(current)) ?? NOTHING);
    if (stopped) return;
    const quality =
      current !== null && sample !== null && before?.peer === current ? qualityBetween(before.sample, sample) : null;
    before = current === null || sample === null ? null : { peer: current, sample };
    onQuality(quality);
  };
  const stop = every(SAMPLE_EVERY_MS, () => {
    // A closed connection rejects getStats; the next sample uses the new one.
    look().catch(() => {
      before = null;
    });
  });
  return () => {
    stopped = true;
    stop();
  };
}
