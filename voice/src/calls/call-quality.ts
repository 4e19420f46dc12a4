import type { LegStats, StreamStats } from "../media/media-plane.ts";

/** Assumed one-way delay of network and playout, without jitter. */
const ASSUMED_DELAY_MS = 60;

/** Quality of one leg's media in the provider's format: numbers are strings; null means unknown. */
interface CallQuality {
  readonly inbound: {
    readonly mos: string | null;
    readonly jitter_max_variance: string | null;
    readonly packet_count: string;
    readonly skip_packet_count: string | null;
  };
  readonly outbound: { readonly packet_count: string | null; readonly skip_packet_count: string };
}

/**
 * Mean opinion score 1…4.5 by the simplified E-model (ITU-T G.107), with the loss curve of G.711, 30·ln(1+15e) (Cole and Rosenbluth,
 * 2001). 1 without packets; null if loss or jitter is unknown.
 */
export function meanOpinionScore({ packets, lost, jitterMs }: StreamStats): number | null {
  if (packets === 0) return 1;
  if (lost === null || jitterMs === null) return null;
  const loss = lost / (packets + lost);
  const delay = ASSUMED_DELAY_MS + 2 * jitterMs;
  const factor = 93.2 - 0.024 * delay - 0.11 * Math.max(0, delay - 177.3) - 30 * Math.log(1 + 15 * loss);
  if (factor <= 0) return 1;
  return Math.min(4.5, 1 + 0.035 * factor + 7e-6 * factor * (factor - 60) * (100 - factor));
}

/** A leg's quality report. "inbound" is what we received from that side. */
export function callQuality(side: "browser" | "far", stats: LegStats | null): CallQuality | null {
  if (stats === null) return null;
  const received = side === "browser" ? stats.fromBrowser : stats.fromFar;
  const sent = side === "browser" ? stats.toBrowser : stats.toFar;
  return {
    inbound: {
      mos: meanOpinionScore(received)?.toFixed(2) ?? null,
      jitter_max_variance: received.jitterMs?.toFixed(2) ?? null,
      packet_count: String(received.packets),
      skip_packet_count: received.lost === null ? null : String(received.lost),
    },
    outbound: { packet_count: sent.packets === null ? null : String(sent.packets), skip_packet_count: "0" },
  };
}
