import type { Connection, RTCPeerConnection } from "werift";

/**
 * Keeps a connection with a transceiver from asking a STUN server. werift asks one of Google's if it is given none, and gathering
 * waits five seconds for it in a network that drops packets.
 */
export function askNoStunServer(connection: RTCPeerConnection): void {
  for (const { connection: ice } of connection.iceTransports) (ice as Connection).stunServer = undefined;
}
