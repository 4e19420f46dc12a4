/** From the first packet to the loudspeaker: the browser's jitter buffer and its output. */
const PLAYOUT_MS = 80;

/**
 * Rings from the far end's ringing until the sound of the line itself can be heard. Its keys and its play-out take about 80 ms, in which
 * a caller would hear nothing; then the exchange's ringback, or the carrier's, goes on.
 * @returns what stops it
 */
export function ringUntilConnected(peer: RTCPeerConnection | null, ring: () => () => void): () => void {
  if (peer === null || peer.connectionState === "connected") return () => undefined;
  const stop = ring();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    if (peer.connectionState === "connected") timer ??= setTimeout(stop, PLAYOUT_MS);
  };
  peer.addEventListener("connectionstatechange", look);
  return () => {
    clearTimeout(timer);
    peer.removeEventListener("connectionstatechange", look);
    stop();
  };
}
