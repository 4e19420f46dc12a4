import { after } from "../../time/timers.ts";

/** Transports to a relay. A network may block the first two. */
export type RelayTransport = "udp" | "tcp" | "tls";

/** Browsers give up after ten seconds or more; a usable relay answers within one. */
const GATHER_LIMIT_MS = 5_000;
const ORDER: readonly RelayTransport[] = ["udp", "tcp", "tls"];

/**
 * Tries each relay separately, all in parallel.
 * @returns the transports over which a relay allocates an address, best first; null if there are no relays
 */
export async function reachRelays(servers: readonly RTCIceServer[]): Promise<RelayTransport[] | null> {
  const tried = servers.flatMap((server) =>
    [server.urls].flat().flatMap((url) => {
      const transport = transportOf(url);
      return transport === null ? [] : [{ transport, server: { ...server, urls: url } }];
    }),
  );
  if (tried.length === 0) return null;
  const results = await Promise.all(tried.map(async ({ transport, server }) => ({ transport, open: await gathers(server) })));
  return ORDER.filter((transport) => results.some((result) => result.open && result.transport === transport));
}

/** RFC 7065. Null if the URL is not a relay's. */
function transportOf(url: string): RelayTransport | null {
  if (url.startsWith("turns:")) return "tls";
  if (!url.startsWith("turn:")) return null;
  return url.includes("transport=tcp") ? "tcp" : "udp";
}

async function gathers(server: RTCIceServer): Promise<boolean> {
  const peer = new RTCPeerConnection({ iceServers: [server], iceTransportPolicy: "relay" });
  try {
    const gathered = new Promise<boolean>((settle) => {
      // Under this policy every candidate is a relay's; null or an empty one marks the end.
      peer.addEventListener("icecandidate", ({ candidate }) => settle(candidate !== null && candidate.candidate !== ""));
      after(GATHER_LIMIT_MS, () => settle(false));
    });
    peer.createDataChannel("relay");
    await peer.setLocalDescription();
    return await gathered;
  } catch {
    return false;
  } finally {
    peer.close();
  }
}
