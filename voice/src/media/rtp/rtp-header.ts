/** Reads and writes the RTP fixed header (RFC 3550 §5.1) without copying. */

export const RTP_HEADER_BYTES = 12;
/** An Ethernet frame. Longer packets are ignored. */
export const MAX_PACKET_BYTES = 1_500;

interface RtpFields {
  readonly payloadType: number;
  readonly marker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly ssrc: number;
}

export interface ReceivedRtp extends RtpFields {
  /** The whole packet. */
  readonly packet: Buffer;
  /** Without CSRC list, header extension and padding. Shares memory with the packet. */
  readonly payload: Buffer;
  readonly payloadOffset: number;
}

/** Null if the packet is not well-formed RTP version 2. */
export function readRtp(packet: Buffer): ReceivedRtp | null {
  if (packet.length < RTP_HEADER_BYTES || packet.length > MAX_PACKET_BYTES) return null;
  const first = packet[0] as number;
  if (first >> 6 !== 2) return null;
  const second = packet[1] as number;
  let start = RTP_HEADER_BYTES + (first & 0x0f) * 4;
  if ((first & 0x10) !== 0) {
    if (packet.length < start + 4) return null;
    start += 4 + packet.readUInt16BE(start + 2) * 4;
  }
  let end = packet.length;
  if ((first & 0x20) !== 0) end -= packet[end - 1] as number;
  if (start > end) return null;
  return {
    packet,
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    ssrc: packet.readUInt32BE(8),
    payload: packet.subarray(start, end),
    payloadOffset: start,
  };
}

/** Writes the first 12 bytes of `target`. */
export function writeRtpHeader(target: Buffer, fields: RtpFields): void {
  target[0] = 0x80;
  target[1] = (fields.marker ? 0x80 : 0) | fields.payloadType;
  target.writeUInt16BE(fields.sequence, 2);
  target.writeUInt32BE(fields.timestamp, 4);
  target.writeUInt32BE(fields.ssrc, 8);
}
