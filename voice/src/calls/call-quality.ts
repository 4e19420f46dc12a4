import type { LegStats, StreamStats } from "../media/media-plane.ts";

/** One-way delay assumed beyond the jitter, in milliseconds: network and playout of an ordinary call. */
const ASSUMED_DELAY_MS = 60;

/** Quality of one leg's media in the provider's words; numbers are strings, as it sends them, and null where they are unknown. */
export interface CallQuality {
  readonly inbound: {
    readonly mos: string | null;
    readonly jitter_max_variance: string | null;
    readonly packet_count: string;
    readonly skip_packet_count: string | null;
  };
  readonly outbound: { readonly packet_count: string | null; readonly skip_packet_count: string };
}

/**
 * Mean opinion score 1…4.5 by the simplified E-model (ITU-T G.107): delay above 177.3 ms costs extra, loss costs by the G.711
 * curve 30·ln(1+15e) (Cole and Rosenbluth, 2001). Nothing heard is 1. Null when loss or jitter are unknown.
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

/** The quality report of a leg: "inbound" is what we received from that side. Null when the media never told its counters. */
export function callQuality(side: "browser" | "far", stats: LegStats | null): CallQuality | null {
  if (stats === null) return null;
  const received = side === "browser" ? stats.fromBrowser : stats.fromTrunk;
  const sent = side === "browser" ? stats.toBrowser : stats.toTrunk;
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
