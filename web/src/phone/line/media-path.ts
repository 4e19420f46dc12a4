import type { RelayTransport } from "./reach-relays.ts";

/** The path of a call's sound: direct to the exchange, through a relay (`relay` if the transport is unknown), or none. */
export type MediaPath = "direct" | "relay" | RelayTransport | "none";

/** Longer than the slowest relay takes: TLS from the other side of the world. */
const CONNECT_LIMIT_MS = 10_000;

/** Waits until a connection has found a media path or failed. */
export async function findMediaPath(peer: RTCPeerConnection): Promise<MediaPath> {
  if (!(await connects(peer))) return "none";
  return pathIn(await peer.getStats());
}

function connects(peer: RTCPeerConnection): Promise<boolean> {
  return new Promise((settle) => {
    const finish = (connected: boolean): void => {
      clearTimeout(tooLate);
      peer.removeEventListener("connectionstatechange", look);
      settle(connected);
    };
    const look = (): void => {
      if (peer.connectionState === "connected") finish(true);
      else if (peer.connectionState === "failed" || peer.connectionState === "closed") finish(false);
    };
    const tooLate = setTimeout(() => finish(false), CONNECT_LIMIT_MS);
    peer.addEventListener("connectionstatechange", look);
    look();
  });
}

function pathIn(report: RTCStatsReport): MediaPath {
  for (const stats of report.values() as Iterable<RTCIceCandidatePairStats>) {
    if (stats.type !== "candidate-pair" || !stats.nominated || stats.state !== "succeeded") continue;
    const local = report.get(stats.localCandidateId) as { candidateType?: string; relayProtocol?: string } | undefined;
    if (local?.candidateType !== "relay") return "direct";
    const { relayProtocol: by } = local;
    return by === "udp" || by === "tcp" || by === "tls" ? by : "relay";
  }
  return "direct";
}
