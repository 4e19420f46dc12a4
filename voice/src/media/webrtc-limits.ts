import { TokenBucket } from "../rate-limits/token-bucket.ts";

/** Connectivity checks: a browser sends up to 20 a second while it connects, and later one every few seconds. */
const CHECKS = { perSecond: 50, burst: 100 };
/** A handshake has fewer than twenty packets and some retransmissions. Its packets are the most expensive to process. */
const HANDSHAKE = { perSecond: 10, burst: 100 };
/** Audio has 50 packets a second. The burst allows for what a slow network held back. */
const MEDIA = { perSecond: 150, burst: 500 };
/** RFC 5389 §6. */
const STUN_HEADER_BYTES = 20;
const MAGIC_COOKIE = 0x2112_a442;
const BINDING_REQUEST = 0x0001;
const USERNAME = 0x0006;
/** A check fits into one packet on any network (RFC 5389 §7.1). */
const MAX_CHECK_BYTES = 1_280;

/** Rate limits of one browser's port, per kind of packet. Handshake and media are accepted only from addresses that sent a signed check. */
export class WebrtcLimits {
  readonly #checksOfPair = new TokenBucket(CHECKS);
  readonly #checksOfOthers = new TokenBucket(CHECKS);
  readonly #handshake = new TokenBucket(HANDSHAKE);
  readonly #media = new TokenBucket(MEDIA);

  /** @param isNominated whether the check comes from the nominated address */
  mayCheck(isNominated: boolean, nowMs: number): boolean {
    return (isNominated ? this.#checksOfPair : this.#checksOfOthers).take(nowMs);
  }

  mayHandshake(nowMs: number): boolean {
    return this.#handshake.take(nowMs);
  }

  /** RTP and RTCP. */
  mayReceiveMedia(nowMs: number): boolean {
    return this.#media.take(nowMs);
  }
}

/**
 * Reads our username fragment from a connectivity check, before it is parsed or verified. Null if it is not a binding request
 * (RFC 8445 §7.2).
 */
export function localUfragOf(datagram: Buffer): string | null {
  if (datagram.length < STUN_HEADER_BYTES || datagram.length > MAX_CHECK_BYTES) return null;
  if (datagram.readUInt16BE(0) !== BINDING_REQUEST || datagram.readUInt32BE(4) !== MAGIC_COOKIE) return null;
  if (datagram.readUInt16BE(2) !== datagram.length - STUN_HEADER_BYTES) return null;
  for (let at = STUN_HEADER_BYTES; at + 4 <= datagram.length;) {
    const end = at + 4 + datagram.readUInt16BE(at + 2);
    if (datagram.readUInt16BE(at) === USERNAME) return datagram.toString("utf8", at + 4, end).split(":")[0] ?? null;
    at = end + ((4 - (end % 4)) % 4);
  }
  return null;
}
