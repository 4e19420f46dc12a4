import { createSecretKey } from "node:crypto";
import { ProtectionProfileAeadAes128Gcm, type SrtcpSession, type SrtpSession } from "werift";
import { ReplayList } from "./replay-list.ts";

interface RolloverState {
  rolloverCounter: number;
  rolloverHasProcessed?: boolean;
  lastSequenceNumber: number;
}

/**
 * Counts wraps of the 16-bit sequence number (RFC 3711 §3.3.1 and appendix A). werift's own count is lost for good, and all audio with
 * it, if more than 100 packets are lost around a wrap.
 */
export function updateRollover(sequence: number, state: RolloverState): void {
  if (state.rolloverHasProcessed !== true) {
    state.rolloverHasProcessed = true;
    state.lastSequenceNumber = sequence;
    return;
  }
  const step = ((sequence - state.lastSequenceNumber) << 16) >> 16;
  if (step > 0 && sequence < state.lastSequenceNumber) state.rolloverCounter += 1;
  if (step < 0 && sequence > state.lastSequenceNumber && state.rolloverCounter > 0) state.rolloverCounter -= 1;
  state.lastSequenceNumber = sequence;
}

/** SRTCP's index is a packet's last four bytes (RFC 7714 §9.2), or stands before its HMAC (RFC 3711 §3.4). Its first bit says "encrypted". */
const INDEX_BYTES = 4;
const HMAC_BYTES = 10;
const INDEX_MASK = 0x7fff_ffff;

/** Decrypts what one browser sends, each packet once (RFC 3711 §3.3.2): somebody who records a call cannot send it again. */
export class SrtpReceiver {
  readonly #srtp: SrtpSession;
  readonly #srtcp: SrtcpSession;
  readonly #audio = new ReplayList();
  readonly #reports = new ReplayList();

  constructor(srtp: SrtpSession, srtcp: SrtcpSession) {
    this.#srtp = srtp;
    this.#srtcp = srtcp;
    prepareSession(srtp);
  }

  /** Null for a repetition. @throws werift's error for a forged or damaged packet */
  rtp(datagram: Buffer): Buffer | null {
    const packet = this.#srtp.decrypt(datagram);
    const ssrc = packet.readUInt32BE(8);
    const { rolloverCounter } = this.#srtp.remoteContext.getSrtpSsrcState(ssrc);
    return this.#audio.add(ssrc, rolloverCounter * 0x10000 + packet.readUInt16BE(2)) ? packet : null;
  }

  /** Like `rtp`. */
  rtcp(datagram: Buffer): Buffer | null {
    const packet = this.#srtcp.decrypt(datagram);
    const isGcm = this.#srtcp.config.profile === ProtectionProfileAeadAes128Gcm;
    const index = datagram.readUInt32BE(datagram.length - INDEX_BYTES - (isGcm ? 0 : HMAC_BYTES)) & INDEX_MASK;
    return this.#reports.add(packet.readUInt32BE(4), index) ? packet : null;
  }
}

/** Replaces werift's roll-over count, and imports the keys once instead of for every packet. */
function prepareSession(session: SrtpSession): void {
  for (const context of [session.localContext, session.remoteContext]) {
    context.updateRolloverCount = updateRollover;
    // Node's ciphers accept both; a key object is three to four times as fast.
    context.cipher.srtpSessionKey = createSecretKey(context.cipher.srtpSessionKey) as unknown as Buffer;
  }
}
