import { lookup } from "node:dns/promises";
import { isIP, isIPv6, SocketAddress } from "node:net";
import { settleWithin } from "@farline/domain/durations.ts";
import { isPrivate, mayReach } from "../../address.ts";
import { MediaError } from "../media-plane.ts";

/** RFC 1123 §2.1: the last label is not a number. */
const HOST_NAME = /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*[a-z]([a-z\d-]{0,61}[a-z\d])?\.?$/i;
const LOOKUP_TIMEOUT_MS = 2_000;

/** A hold (RFC 3264 §8.4). */
export function isUnspecified(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/**
 * Resolves the host in `c=`, which may be a name (RFC 8866 §5.7). The far end could name any service of ours: the machine itself is
 * accepted only there, link-local and multicast addresses never, and a name in a private network only if we are in one.
 * @param localAddress where our RTP is bound, which sets the address family
 * @throws MediaError `bad_sdp`
 */
export async function farAddress(host: string, localAddress: string): Promise<string> {
  if (isIP(host) !== 0) {
    // As the system spells the sources of packets: an IPv6 address has many spellings.
    const address = isIPv6(host) ? new SocketAddress({ address: host, family: "ipv6" }).address : host;
    if (isUnspecified(address)) return address;
    // An IPv4 socket cannot send to IPv6 at all.
    if (isIPv6(address) !== isIPv6(localAddress))
      throw new MediaError("bad_sdp", "The far end's SDP has an address of another family.");
    if (!isPrivate(address) && !mayReach(address, localAddress))
      throw new MediaError("bad_sdp", "The far end's SDP has an address that we do not send to.");
    return address;
  }
  if (!HOST_NAME.test(host)) throw new MediaError("bad_sdp", "The far end's SDP has no address.");
  const found = lookup(host, { family: isIPv6(localAddress) ? 6 : 4 }).catch(() => null);
  const answer = await settleWithin(found, LOOKUP_TIMEOUT_MS, () => null);
  if (answer === null || !mayReach(answer.address, localAddress))
    throw new MediaError("bad_sdp", "The host name in the far end's SDP has no usable address.");
  return answer.address;
}
