/** RTP packets (RFC 3550 §5.1) and telephone events (RFC 4733 §2.3). */

const HEADER_BYTES = 12;

export interface RtpPacket {
  payloadType: number;
  marker: boolean;
  /** 16 bits. */
  sequence: number;
  /** 32 bits; 8000 per second for G.711. */
  timestamp: number;
  /** 32 bits. */
  ssrc: number;
  payload: Buffer;
}

/** Parses a datagram; null if it is not RTP, for example RTCP on the same port (RFC 5761 §4). */
export function parseRtp(datagram: Buffer): RtpPacket | null {
  if (datagram.length < HEADER_BYTES) return null;
  const first = datagram.readUInt8(0);
  const second = datagram.readUInt8(1);
  if (first >> 6 !== 2 || (second >= 192 && second <= 223)) return null;
  let start = HEADER_BYTES + 4 * (first & 0x0f);
  if (first & 0x10) {
    if (datagram.length < start + 4) return null;
    start += 4 + 4 * datagram.readUInt16BE(start + 2);
  }
  const padding = first & 0x20 ? datagram.readUInt8(datagram.length - 1) : 0;
  const end = datagram.length - padding;
  if (start > end || (first & 0x20 && padding === 0)) return null;
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    ssrc: datagram.readUInt32BE(8),
    payload: datagram.subarray(start, end),
  };
}

export function buildRtp(packet: RtpPacket): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(0x80, 0);
  header.writeUInt8((packet.marker ? 0x80 : 0) | packet.payloadType, 1);
  header.writeUInt16BE(packet.sequence, 2);
  header.writeUInt32BE(packet.timestamp, 4);
  header.writeUInt32BE(packet.ssrc, 8);
  return Buffer.concat([header, packet.payload]);
}

const EVENT_DIGITS = "0123456789*#ABCD";

interface TelephoneEvent {
  digit: string;
  end: boolean;
  /** In timestamp units, 8000 per second. */
  duration: number;
}

/** Parses a telephone event's payload; null for events that are not keypad digits. */
export function parseTelephoneEvent(payload: Buffer): TelephoneEvent | null {
  if (payload.length < 4) return null;
  const digit = EVENT_DIGITS[payload.readUInt8(0)];
  if (digit === undefined) return null;
  return { digit, end: (payload.readUInt8(1) & 0x80) !== 0, duration: payload.readUInt16BE(2) };
}

/** `to - from` of two wrapping 32-bit counters, as a signed number. */
export function timestampDistance(from: number, to: number): number {
  return (to - from) | 0;
}

/** `to - from` of two wrapping 16-bit counters, as a signed number. */
export function sequenceDistance(from: number, to: number): number {
  return ((to - from) << 16) >> 16;
}
