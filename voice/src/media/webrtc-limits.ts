import { TokenBucket } from "../rate-limits/token-bucket.ts";

/** Connectivity checks: a browser sends 20 a second at most while it looks for a way, one a few seconds later on. */
const CHECKS = { perSecond: 50, burst: 100 };
/** A handshake has fewer than twenty packets and some repetitions; it is the most expensive thing that a packet can cause. */
const HANDSHAKE = { perSecond: 10, burst: 100 };
/** Sound has 50 packets a second; what waited in a slow network comes at once. */
const SOUND = { perSecond: 150, burst: 500 };
/** RFC 5389 §6. */
const STUN_HEADER_BYTES = 20;
const MAGIC_COOKIE = 0x2112_a442;
const BINDING_REQUEST = 0x0001;
const USERNAME = 0x0006;
/** A check is sent in one packet of any network (RFC 5389 §7.1). */
const MAX_CHECK_BYTES = 1_280;

/** What the port of one browser takes of each kind of packet. Apart from checks, only addresses that have sent a signed one are heard. */
export class WebrtcLimits {
  readonly #checksOfPair = new TokenBucket(CHECKS);
  readonly #checksOfOthers = new TokenBucket(CHECKS);
  readonly #handshake = new TokenBucket(HANDSHAKE);
  readonly #sound = new TokenBucket(SOUND);

  /** @param ofPair the check comes from the address that is in use */
  mayCheck(ofPair: boolean, nowMs: number): boolean {
    return (ofPair ? this.#checksOfPair : this.#checksOfOthers).take(nowMs);
  }

  mayHandshake(nowMs: number): boolean {
    return this.#handshake.take(nowMs);
  }

  /** RTP and RTCP. */
  mayReceiveMedia(nowMs: number): boolean {
    return this.#sound.take(nowMs);
  }
}

/**
 * Our half of the user name of a connectivity check, read before anything is parsed or verified: whoever does not know it is no browser of
 * ours. Null for what is no binding request (RFC 8445 §7.2).
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
