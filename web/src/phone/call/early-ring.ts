import { after } from "../../time/timers.ts";

/** Delay from the first packet to the loudspeaker: the browser's jitter buffer and output. */
const PLAYOUT_MS = 80;

/**
 * Plays ringback from the far end's ringing until the line's own sound is audible. Key exchange and play-out take about 80 ms, in which
 * a caller would hear silence; then the exchange's or the carrier's ringback continues.
 * @returns the stop function
 */
export function ringUntilAudible(peer: RTCPeerConnection | null, ring: () => () => void): () => void {
  if (peer === null) return () => undefined;
  const stop = ring();
  let cancel: (() => void) | undefined;
  const look = () => {
    if (peer.connectionState === "connected") cancel ??= after(PLAYOUT_MS, stop);
  };
  look();
  peer.addEventListener("connectionstatechange", look);
  return () => {
    cancel?.();
    peer.removeEventListener("connectionstatechange", look);
    stop();
  };
}
