import { after, pause } from "../../time/timers.ts";
import type { RelayTransport } from "./reach-relays.ts";

/** The path of a call's sound: direct to the exchange, through a relay (`relay` if the transport is unknown), or none. */
export type MediaPath = "direct" | "relay" | RelayTransport | "none";

/** Longer than the slowest relay takes: TLS from the other side of the world. */
const CONNECT_LIMIT_MS = 10_000;

/** Browsers repeat a report for a while, so the first one after the connection may be older than it. */
const LOOK_EVERY_MS = 100;
const MAX_LOOKS = 20;

/** Waits until a connection has found a media path or failed. Null if the browser does not say which path. */
export async function findMediaPath(peer: RTCPeerConnection): Promise<MediaPath | null> {
  if (!(await connects(peer))) return "none";
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const path = pathIn(await peer.getStats());
    if (path !== null) return path;
    await pause(LOOK_EVERY_MS);
  }
  return null;
}

function connects(peer: RTCPeerConnection): Promise<boolean> {
  return new Promise((settle) => {
    const finish = (connected: boolean): void => {
      cancel();
      peer.removeEventListener("connectionstatechange", look);
      settle(connected);
    };
    const look = (): void => {
      if (peer.connectionState === "connected") finish(true);
      else if (peer.connectionState === "failed" || peer.connectionState === "closed") finish(false);
    };
    const cancel = after(CONNECT_LIMIT_MS, () => finish(false));
    peer.addEventListener("connectionstatechange", look);
    look();
  });
}

function pathIn(report: RTCStatsReport): MediaPath | null {
  const pair = ([...report.values()] as RTCIceCandidatePairStats[]).find(
    ({ type, nominated, state }) => type === "candidate-pair" && nominated === true && state === "succeeded",
  );
  if (pair === undefined) return null;
  const local = report.get(pair.localCandidateId) as { candidateType?: string; relayProtocol?: string } | undefined;
  if (local === undefined) return null;
  if (local.candidateType !== "relay") return "direct";
  const { relayProtocol: by } = local;
  return by === "udp" || by === "tcp" || by === "tls" ? by : "relay";
}
